// A requester: one application thread of a memory node (Concordia §5.1.1). It looks into the local cache, and gets what
// it has not the right to read or write by coherence events (event_runner.hpp).
//
// After a failed ACK the whole operation is retried at once: the paper names no back-off.
//
// The locks of blocks that it holds are requesters of their own, with own numbers, sequences and scores, since two
// scores a thread allow it no second lock (block_locks.hpp). They share its queue pairs and its core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/flowcc/node/timed_runner.hpp"

namespace racksim::flowcc {

/// One application thread.
class Requester final : public models::PacketHandler, public models::CompletionHandler {
 public:
  Requester(Shared& shared, NodeState& node, unsigned thread, models::Core& core);

  /// Reads of a block through the local cache: `value` is the block's.
  sim::Task<void> read(models::MemoryAccess access, sim::Value& value, sim::OperationId operation);
  /// Writes to a block in the local cache.
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation);

  /// Tries once to get a block, or another right on it, by an event of `by`, which may keep its lock. The caller looks
  /// into the cache again afterwards: what it wants may have been refused, or may have to wait for room in the cache.
  /// No sibling has an event on the block.
  sim::Task<TimedRunner::Outcome> obtain(TimedRunner& by, MessageType type, Tag tag, sim::OperationId operation,
                                         bool keep_lock = false);
  /// Throws models::Unavailable if the home of a block is down.
  void find_home(Tag tag) const;

  /// One of its numbers for locks that no event is under way of and that keeps none; null if all keep one.
  TimedRunner* lock_number();

  /// Its own events, and those of its locks that have ever been held.
  template <class Visit>
  void visit_runners(Visit&& visit) {
    visit(runner_);
    for (const auto& lock : locks_) visit(*lock);
  }

  /// By its number.
  TimedRunner& runner_of(std::uint64_t requester) {
    const auto number = static_cast<unsigned>(requester);
    return shared_.is_lock(number) ? *locks_[number - shared_.requester_of_lock(node_.id(), thread_, 0)] : runner_;
  }
  /// The thread's own, for its misses, upgrades and evictions.
  const TimedRunner& own() const { return runner_; }
  const CoherenceEvent& event() const { return runner_.event(); }
  models::Core& core() { return core_; }
  Endpoint& endpoint() { return endpoint_; }

  void on_packet(p4::PacketRef packet) override;
  void on_completion(const models::Completion& completion) override;

 private:
  /// When a node where an application has locks was refused the eviction of a block so often in a row another one goes
  /// (the paper is silent).
  static constexpr unsigned kRefusals = 16;

  sim::Task<void> obtain_for_access(MessageType type, Tag tag, sim::OperationId operation);
  [[noreturn]] void refuse_place(Tag tag);
  sim::Task<void> make_room(TimedRunner& by, Tag tag, sim::OperationId operation);

  Shared& shared_;
  NodeState& node_;
  unsigned thread_;
  models::Core& core_;
  Endpoint endpoint_;
  TimedRunner runner_;
  Tag refused_victim_ = 0;                           // whose eviction failed last
  unsigned refusals_ = 0;                            // of it, one after the other
  std::size_t victims_refused_ = 0;                  // so often that another went, since an eviction succeeded
  std::vector<std::unique_ptr<TimedRunner>> locks_;  // by number, as many as have been used
};

}  // namespace racksim::flowcc
