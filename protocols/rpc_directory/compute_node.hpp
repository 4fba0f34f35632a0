// A compute node of an RPC directory: application threads, the cache that they share, a handler of messages about its
// copies, and an evictor.
//
// A thread sends its requests itself and spins on its buffer for the reply. What the node says of copies that it has
// or had goes by one queue pair to each memory server, so that the home hears it in the order in which it happened.
#pragma once

#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/line_cache/caching_node.hpp"
#include "protocols/line_cache/slots.hpp"
#include "protocols/rpc_directory/frame.hpp"
#include "protocols/rpc_directory/line_step.hpp"
#include "protocols/rpc_directory/line_work.hpp"
#include "protocols/rpc_directory/races.hpp"
#include "protocols/rpc_directory/shared.hpp"

namespace racksim::rpc_directory {

class ComputeNode;

struct CacheTypes {
  using Node = ComputeNode;
  using Frame = rpc_directory::Frame;
  using Work = LineWork;
  using Shared = rpc_directory::Shared;
  using Event = LineEvent;
  static constexpr const Races& races = rpc_directory::races;
};

class ComputeNode final : public line_cache::CachingNode<CacheTypes>,
                          models::CompletionHandler,
                          models::MemoryObserver {
 public:
  ComputeNode(Shared& shared, NodeId id, unsigned threads);
  ~ComputeNode() override { tasks_.cancel_all(); }  // before what they wait for goes

  /// The number of its next request; in warming up, of one that was granted at once.
  std::uint64_t take_number() { return next_request_++; }

  // What the table of a line does (line_table.cpp, events.cpp).
  /// Its thread that waits for the line asks the home, or the owner.
  void ask_home(const LineWork& work, Message message);
  void ask_owner(const LineWork& work, NodeId owner, Message message);
  /// Tells the home what has become of the copy that a message is about.
  void tell_home(const Message& about, MessageKind kind);
  /// Tells a try-lock's owner that the line is in use here.
  void deny(const Message& request);
  void give_page(const Message& request, const Frame& frame);
  void write_back_and_tell(const Frame& frame, bool writes, MessageKind kind, sim::OperationId operation);

  // What the cache does (line_cache/caching_node.hpp).
  void raise(LineEvent event, sim::Key line, Frame* frame, const Message* message = nullptr,
             const Reply* reply = nullptr);
  sim::Counter& exclusive_misses() const { return counters().exclusive_misses; }
  /// What other nodes want comes first when the latch is free: a node keeps a line for one use at least, and nobody
  /// starves.
  static bool may_join(const Frame&, const LineWork& work) { return work.deferred.empty(); }
  void latch_freed(Frame& frame);
  void grant_waiters(Frame& frame);
  sim::Task<void> evict_lines(std::vector<sim::Key> victims);

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  struct Arrived {
    Reply reply;
    LineData page;
  };

  // Messages and replies (events.cpp).
  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void handle(std::uint32_t slot);
  void take_reply(std::uint32_t slot);
  /// A message from the node, by a thread or by the handler and the evictor.
  Message signed_by(std::size_t endpoint, Message message) const;

  line_cache::Slots<Message> inbox_;
  line_cache::Slots<Arrived> replies_;
  std::uint64_t next_request_ = 1;
  std::uint64_t evictions_under_way_ = 0;  // whose notices have not arrived
  sim::Signal eviction_arrived_;
};

}  // namespace racksim::rpc_directory
