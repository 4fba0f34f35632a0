// A memory node: local cache, global memory, requesters, home agent and cache agent (Concordia §4, Figure 3).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/flowcc/node/block_locks.hpp"
#include "protocols/flowcc/node/cache_agent.hpp"
#include "protocols/flowcc/node/home_agent.hpp"
#include "protocols/flowcc/node/node_recovery.hpp"
#include "protocols/flowcc/node/requester.hpp"
#include "protocols/flowcc/rules/local_cache.hpp"
#include "sim/record/history.hpp"

namespace racksim::flowcc {

/// One server of the rack. Application threads take its first cores, the home agent and the cache agent the next two.
class MemoryNode final : public models::MemoryObserver {
 public:
  MemoryNode(Shared& shared, NodeId id);
  MemoryNode(const MemoryNode&) = delete;
  MemoryNode& operator=(const MemoryNode&) = delete;

  NodeId id() const { return id_; }
  LocalCache& cache() { return cache_; }
  const LocalCache& cache() const { return cache_; }
  Requester& requester(unsigned thread) { return *requesters_[thread]; }
  HomeAgent& home_agent() { return *home_agent_; }
  const HomeAgent& home_agent() const { return *home_agent_; }
  CacheAgent& cache_agent() { return *cache_agent_; }
  NodeRecovery& recovery() { return recovery_; }

  BlockLocks& locks() { return locks_; }
  const BlockLocks& locks() const { return locks_; }

  /// Who of this node has an event under way on a block, or null.
  TimedRunner* event_on(Tag tag);
  /// Notified when any event of this node has ended.
  sim::Signal& any_event_ended() { return any_event_ended_; }

  /// The value of a block in global memory; 0 if nobody has written it.
  sim::Value global_memory(Tag tag) const;
  void set_global_memory(Tag tag, sim::Value value);
  /// The same with its version, where blocks migrate.
  BlockData stored(Tag tag) const;
  void store(const BlockData& block);

  template <class Visit>
  void visit_global_memory(Visit&& visit) const {
    for (std::uint64_t index = 0; index < memory_.size(); ++index) {
      if (memory_[index] != 0) visit(shared_.tag_at_home(id_, index), sim::Value{memory_[index]});
    }
  }

  using Permission = sim::Permission;
  /// Tells the oracles that this node may from now on access a block so.
  void permission_changed(Tag tag, Permission permission, sim::OperationId operation);

  void count_event(MessageType type);

  /// The node loses its cache and what it had under way, and, where blocks migrate, its memory. Whatever reaches it is
  /// ignored, until it is back.
  void crash();
  bool crashed() const { return crashed_; }
  /// Where blocks migrate: it is back, with nothing.
  void restart();
  /// A node is dead: its requesters may come again, with numbers from 1.
  void forget_requesters_of(NodeId node);
  /// Calls `visit(tag)` for each block whose value may have gone with it: those that it held dirty or had under way.
  template <class Visit>
  void visit_lost(Visit&& visit) const {
    for (const Tag tag : lost_) visit(tag);
  }

  bool quiescent() const;
  const std::vector<std::unique_ptr<Requester>>& requesters() const { return requesters_; }

  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;

 private:
  void register_memory();
  void begin_epoch();
  void epoch_over();

  Shared& shared_;
  NodeId id_;
  sim::Source source_;
  LocalCache cache_;
  std::vector<std::uint64_t> memory_;    // by index at home
  std::vector<std::uint32_t> versions_;  // the same, where blocks migrate
  sim::Signal any_event_ended_;
  NodeRecovery recovery_;
  BlockLocks locks_;
  bool crashed_ = false;
  std::vector<Tag> lost_;
  sim::EventId epoch_end_;
  std::vector<std::unique_ptr<Requester>> requesters_;
  std::unique_ptr<HomeAgent> home_agent_;
  std::unique_ptr<CacheAgent> cache_agent_;
};

}  // namespace racksim::flowcc
