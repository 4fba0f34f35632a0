// The directory of a memory server: an entry for each line of which there are copies, worked by the server's cores
// (ScaleStore's message handlers).
//
// A line belongs to one core, so its messages are handled one after the other. While a request takes more than one
// message, the line is busy, and later requests wait in the order of their coming. ScaleStore may tell them to try
// again instead; a queue costs the same handling once, and nobody starves.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/line_cache/line_entries.hpp"
#include "protocols/line_cache/slots.hpp"
#include "protocols/rpc_directory/directory_step.hpp"
#include "protocols/rpc_directory/shared.hpp"
#include "sim/record/wait.hpp"

namespace racksim::rpc_directory {

/// A copy, as the home knows it.
struct Holder {
  NodeId node = 0;
  std::uint64_t version = 0;
};

/// A request that takes more than one message, and those that wait behind it.
struct Transaction {
  Message request;
  std::vector<Holder> awaited{};  ///< whose acknowledgements
  bool requester_left = false;    ///< it got the page from the owner, and has evicted it since
  std::deque<Message> queue{};
};

struct Entry {
  DirectoryState state = DirectoryState::uncached;
  std::vector<Holder> holders{};               ///< the owner alone, or all sharers
  std::unique_ptr<Transaction> transaction{};  ///< null unless the line is busy

  Holder* holder(NodeId node);
  /// Copies as text: "X0:17 ", or "S0:17 S2:3 " in the order of nodes.
  std::string text() const;
  static std::string text(bool exclusive, const Holder& holder);
  const Holder* holder(NodeId node) const { return const_cast<Entry*>(this)->holder(node); }
  void forget() {
    state = DirectoryState::uncached;
    holders.clear();
    transaction = nullptr;
  }
};

class Directory final : models::CompletionHandler {
 public:
  Directory(Shared& shared, NodeId server);

  NodeId server() const { return server_; }
  /// A queue pair for an endpoint of a node; endpoints of a node are numbered from 0, in the order of the calls.
  models::ReliableConnection& open(NodeId node);

  /// What is known of a line; null if there are no copies.
  const Entry* find(sim::Key line) const { return entries_.find(line); }
  /// The same, made if there was none: for warming up, which leaves `state` and `holders` as they are to be.
  Entry& entry(sim::Key line) { return entries_[line]; }
  /// The same of a copy that goes.
  void forget_holder(sim::Key line, NodeId node);
  /// Calls `visit(line, entry)`, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    entries_.for_each(visit);
  }

  // What its table asks and does.
  const Shared& shared() const { return shared_; }
  /// Replies to a request, with the page if that is the verdict.
  void reply(const Message& request, Reply reply) const;
  /// Tells the holder of a copy that it is to go, since another node writes.
  void invalidate(const Holder& holder, const Message& request) const;

  void crash();
  bool quiescent() const { return busy_ == 0 && inbox_.empty(); }
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  void on_completion(const models::Completion& completion) override;
  void handle(std::uint32_t slot);
  void execute(Entry& entry, const Message& message);
  models::Core& core_of(sim::Key line) const;
  /// Lines that are busy, in their order.
  std::vector<std::uint64_t> busy_lines() const;

  Shared& shared_;
  NodeId server_;
  std::vector<models::CompletionQueue*> queues_;                       // by core
  std::vector<std::vector<models::ReliableConnection*>> queue_pairs_;  // by node and its endpoint
  line_cache::LineEntries<Entry> entries_;
  line_cache::Slots<Message> inbox_;
  std::size_t busy_ = 0;  // lines
  std::size_t opened_ = 0;
};

}  // namespace racksim::rpc_directory
