// What the parts of a memory node share: its cache, its global memory, and whether its threads may go on.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/service/permissions.hpp"
#include "protocols/flowcc/node/lock_log.hpp"
#include "protocols/flowcc/node/network.hpp"
#include "protocols/flowcc/rules/local_cache.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class TimedRunner;

class NodeState {
 public:
  NodeState(Shared& shared, NodeId id)
      : shared_(shared),
        id_(id),
        permissions_(shared.calendar, shared.event_log, shared.event_log.add_source(fmt::format("node{}/flowcc", id))),
        cache_(shared.options.cache_bytes, shared.options.block_bytes),
        lock_log_(shared, id),
        any_event_ended_(shared.calendar),
        resumed_(shared.calendar) {}
  NodeState(const NodeState&) = delete;
  NodeState& operator=(const NodeState&) = delete;

  NodeId id() const { return id_; }
  LocalCache& cache() { return cache_; }
  const LocalCache& cache() const { return cache_; }
  LockLog& lock_log() { return lock_log_; }
  const LockLog& lock_log() const { return lock_log_; }

  /// All who begin events on this node, in no order (timed_runner.hpp finds the one that has an event on a block).
  std::vector<TimedRunner*> runners;
  /// Notified when any event of this node has ended.
  sim::Signal& any_event_ended() { return any_event_ended_; }

  /// Whether application threads stand still, for a recovery or since the node has crashed.
  bool stopped() const { return stopped_; }
  /// Notified when they may go on.
  sim::Signal& resumed() { return resumed_; }
  void stop() { stopped_ = true; }
  void resume() {
    stopped_ = false;
    resumed_.notify_all();
  }
  bool crashed() const { return crashed_; }

  /// The value of a block in global memory; 0 if nobody has written it.
  sim::Value global_memory(Tag tag) const {
    const std::uint64_t index = shared_.index_at_home(tag);
    return sim::Value{index < memory_.size() ? memory_[index] : 0};
  }
  void set_global_memory(Tag tag, sim::Value value) {
    const std::uint64_t index = shared_.index_at_home(tag);
    if (index >= memory_.size()) memory_.resize(std::max<std::size_t>(index + 1, memory_.size() * 3 / 2));
    memory_[index] = value;
  }
  /// The same with its version, where blocks migrate.
  BlockData stored(Tag tag) const {
    const std::uint64_t index = shared_.index_at_home(tag);
    return {tag, global_memory(tag), index < versions_.size() ? versions_[index] : 0};
  }
  void store(const BlockData& block) {
    set_global_memory(block.tag, block.value);
    if (!shared_.options.migrates()) return;
    if (versions_.size() < memory_.size()) versions_.resize(memory_.size());
    versions_[shared_.index_at_home(block.tag)] = block.version;
  }
  template <class Visit>
  void visit_global_memory(Visit&& visit) const {
    for (std::uint64_t index = 0; index < memory_.size(); ++index) {
      if (memory_[index] != 0) visit(shared_.tag_at_home(id_, index), sim::Value{memory_[index]});
    }
  }

  /// Tells the oracles that this node may from now on access a block so.
  void permission_changed(Tag tag, sim::Permission permission, sim::OperationId operation) {
    permissions_.set(id_, tag, permission, operation);
  }

 protected:
  Shared& shared_;
  bool crashed_ = false;
  void lose_memory() {
    memory_.clear();
    versions_.clear();
  }

 private:
  NodeId id_;
  models::Permissions permissions_;
  LocalCache cache_;
  LockLog lock_log_;
  std::vector<std::uint64_t> memory_;    // by index at home
  std::vector<std::uint32_t> versions_;  // the same, where blocks migrate
  sim::Signal any_event_ended_, resumed_;
  bool stopped_ = false;
};

}  // namespace racksim::flowcc
