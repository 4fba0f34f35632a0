// A compute node of an RPC directory: application threads, the cache that they share, a handler of messages about its
// copies, and an evictor.
//
// A thread sends its requests itself and spins on its buffer for the reply. What the node says of copies that it has
// or had goes by one queue pair to each memory server, so that the home hears it in the order in which it happened.
#pragma once

#include <memory>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/latched_memory/memory_servers.hpp"
#include "protocols/line_cache/held_latches.hpp"
#include "protocols/line_cache/line_works.hpp"
#include "protocols/line_cache/slots.hpp"
#include "protocols/rpc_directory/frame.hpp"
#include "protocols/rpc_directory/line_step.hpp"
#include "protocols/rpc_directory/line_work.hpp"
#include "protocols/rpc_directory/shared.hpp"

namespace racksim::rpc_directory {

class ComputeNode final : models::CompletionHandler, models::MemoryObserver {
 public:
  ComputeNode(Shared& shared, NodeId id, unsigned threads);
  ~ComputeNode() override;
  ComputeNode(const ComputeNode&) = delete;
  ComputeNode& operator=(const ComputeNode&) = delete;

  /// Joins the handlers of two nodes.
  static void connect(ComputeNode& a, ComputeNode& b);

  NodeId id() const { return id_; }

  // What application threads do. A thread that holds the latch of a line accesses it as often as it likes.
  sim::Task<sim::Value> read(unsigned thread, sim::Key object, sim::OperationId operation);
  sim::Task<void> write(unsigned thread, sim::Key object, sim::Value value, sim::OperationId operation);
  /// Gets the latch of a line, and with it the right to read or write.
  sim::Task<void> lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation);
  /// How a thread holds the latch of a line over several accesses, if it does.
  std::optional<models::LockMode> latch_of(unsigned thread, sim::Key line) const { return held_.mode(thread, line); }
  /// Gives the local latch back, and only that.
  sim::Task<void> unlock(unsigned thread, sim::Key line);

  const Cache& cache() const { return cache_; }
  Cache& cache() { return cache_; }
  /// The number of its next request; in warming up, of one that was granted at once.
  std::uint64_t take_number() { return next_request_++; }

  // What the table of a line asks and does (line_table.cpp, events.cpp).
  const Shared& shared() const { return shared_; }
  const Options& options() const { return shared_.options; }
  Counters& counters() const { return shared_.counters; }
  line_cache::LineWorks<Frame, LineWork>& works() { return works_; }
  /// Its thread that waits for the line asks the home, or the owner.
  void ask_home(const LineWork& work, Message message);
  void ask_owner(const LineWork& work, NodeId owner, Message message);
  /// Tells the home what has become of the copy that a message is about.
  void tell_home(const Message& about, MessageKind kind);
  void give_page(const Message& request, const Frame& frame);
  void write_back_and_tell(const Frame& frame, bool writes, MessageKind kind, sim::OperationId operation);

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  using Endpoint = latched_memory::Endpoint;
  using HeldLatches = line_cache::HeldLatches<Frame>;
  struct Arrived {
    Reply reply;
    LineData page;
  };

  models::Server& server() const { return shared_.rack.server(id_); }
  sim::Calendar& calendar() const { return shared_.rack.calendar(); }

  // The local latch (access.cpp).
  /// The line's frame, with the latch and the right to read or write.
  sim::Task<Frame*> latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation);
  bool may_latch(Frame& frame, bool exclusive);
  void count_miss(const Frame& frame, bool write);
  void unlatch(Frame& frame, bool exclusive);
  void latch_freed(Frame& frame);
  void grant_waiters(Frame& frame);
  models::Core& core_of(unsigned thread) const { return *threads_[thread].core; }

  /// Forgets what is over about a line, and frees its frame if it has nothing.
  void tidy(Frame& frame);

  // Messages and replies (events.cpp).
  void raise(LineEvent event, sim::Key line, Frame* frame, const Message* message = nullptr,
             const Reply* reply = nullptr);
  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void handle(std::uint32_t slot);
  void take_reply(std::uint32_t slot);
  void serve(const Message& message);
  void sign(Message& request, const LineWork& work) const;

  // Eviction (eviction.cpp).
  sim::Task<void> evict();
  static bool may_evict(const Frame& frame);

  Shared& shared_;
  NodeId id_;
  Cache cache_;
  std::vector<Endpoint> threads_;
  Endpoint handler_;
  models::Core* evictor_core_;
  std::vector<models::ReliableConnection*> peers_;  // by compute node; null for itself
  line_cache::LineWorks<Frame, LineWork> works_;
  HeldLatches held_;  // by applications, not for one access alone
  line_cache::Slots<Message> inbox_;
  line_cache::Slots<Arrived> replies_;
  std::uint64_t next_request_ = 1;
  std::uint64_t evictions_under_way_ = 0;  // whose notices have not arrived
  sim::Signal frame_freed_, eviction_arrived_, evictor_wanted_;
  sim::Scope tasks_;
};

/// An application thread, as the memory service asks it.
class ApplicationThread final : public models::MemoryPort {
 public:
  ApplicationThread(ComputeNode& node, unsigned thread) : node_(node), thread_(thread) {}

  sim::Task<sim::Value> read(sim::Key object, sim::OperationId operation) override {
    return node_.read(thread_, object, operation);
  }
  sim::Task<void> write(sim::Key object, sim::Value value, sim::OperationId operation) override {
    return node_.write(thread_, object, value, operation);
  }
  sim::Task<void> lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override {
    return node_.lock(thread_, line, mode == models::LockMode::exclusive, operation);
  }
  sim::Task<void> unlock(sim::Key line, sim::OperationId) override { return node_.unlock(thread_, line); }

 private:
  ComputeNode& node_;
  unsigned thread_;
};

}  // namespace racksim::rpc_directory
