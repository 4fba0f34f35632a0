// A memory node: local cache, global memory, requesters, home agent and cache agent (Concordia §4, Figure 3).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/flowcc/node/block_locks.hpp"
#include "protocols/flowcc/node/cache_agent.hpp"
#include "protocols/flowcc/node/home_agent.hpp"
#include "protocols/flowcc/node/node_recovery.hpp"
#include "protocols/flowcc/node/node_state.hpp"
#include "protocols/flowcc/node/requester.hpp"

namespace racksim::flowcc {

/// One server of the rack. Application threads take its first cores, the home agent and the cache agent the next two.
class MemoryNode final : public NodeState, public models::MemoryObserver {
 public:
  MemoryNode(Shared& shared, NodeId id);

  Requester& requester(unsigned thread) { return *requesters_[thread]; }
  HomeAgent& home_agent() { return home_agent_; }
  const HomeAgent& home_agent() const { return home_agent_; }
  CacheAgent& cache_agent() { return cache_agent_; }
  NodeRecovery& recovery() { return recovery_; }
  BlockLocks& locks() { return locks_; }
  const BlockLocks& locks() const { return locks_; }

  /// The node loses its cache and what it had under way, and, where blocks migrate, its memory. Whatever reaches it is
  /// ignored, until it is back.
  void crash();
  /// Where blocks migrate: it is back, with nothing.
  void restart();
  /// Calls `visit(tag)` for each block whose value may have gone with it: those that it held dirty or had under way.
  template <class Visit>
  void visit_lost(Visit&& visit) const {
    for (const Tag tag : lost_) visit(tag);
  }

  /// The number of one of its threads, or of a lock.
  TimedRunner& runner_of(unsigned requester) const {
    return requesters_[shared_.thread_of(requester) % shared_.shape.threads_per_node]->runner_of(requester);
  }
  /// Calls `visit(runner)` for all of its threads' numbers.
  template <class Visit>
  void visit_runners(Visit&& visit) const {
    for (const auto& requester : requesters_) requester->visit_runners(visit);
  }

  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;

 private:
  std::vector<std::unique_ptr<Requester>> make_requesters();
  void register_memory();
  void begin_epoch() {
    epoch_end_ =
        shared_.rack.server(id()).clock().after<&MemoryNode::epoch_over>(shared_.options.migration.epoch, *this);
  }
  void epoch_over() {
    home_agent_.epoch_over();
    cache_agent_.epoch_over();
    begin_epoch();
  }

  std::vector<Tag> lost_;
  sim::EventId epoch_end_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  BlockLocks locks_;
  HomeAgent home_agent_;
  CacheAgent cache_agent_;
  NodeRecovery recovery_;
};

}  // namespace racksim::flowcc
