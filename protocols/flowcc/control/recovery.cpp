// The coordinator's steps. See recovery.hpp.
#include "protocols/flowcc/control/recovery.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace racksim::flowcc {

Recovery::Recovery(Shared& shared, std::vector<MemoryNode*> nodes, SwitchOwner& owner, ShadowSuccession& shadows,
                   Service lose, std::function<void()> free_locks)
    : shared_(shared),
      nodes_(std::move(nodes)),
      owner_(owner),
      shadows_(shadows),
      // The shadow node's server is a member too.
      membership_(shared.rack, models::Roles::both(static_cast<unsigned>(shared.rack.nodes())),
                  shared.options.recovery.membership, *this),
      clock_(shared.calendar, "flowcc/coordinator"),
      lane_(shared.calendar.add_lane("flowcc/coordinator")),
      booted_(shared.calendar),
      ended_(shared.calendar),
      tasks_(shared.calendar),
      lose_(std::move(lose)),
      free_locks_(std::move(free_locks)) {}

void Recovery::add_actors(sim::Engine& engine) {
  membership_.add_actor(engine);
  engine.add_actor("coordinator", engine.add_host("coordinator"), [this](sim::Engine::Actor& actor) {
    for (;;) {
      actor.sleep(membership_.interval());
      actor.post<&Recovery::look>(lane_, *this);
    }
  });
}

// For the record, which says why a write is lost.
void Recovery::node_fails(NodeId node) {
  nodes_[node]->visit_global_memory([&](Tag tag, sim::Value value) {
    std::size_t& writes = died_with_[tag].home;
    writes = std::max(writes, shared_.writes.age(tag, value));
  });
  nodes_[node]->visit_runners([this](const TimedRunner& runner) {
    runner.events().visit_write_backs([this](const BlockData& data) {
      std::size_t& writes = died_with_[data.tag].write_back;
      writes = std::max(writes, shared_.writes.age(data.tag, data.value));
    });
  });
}

sim::Task<bool> Recovery::recover(NodeId lost) {
  const bool another_shadow = shadows_.lost(lost, membership_);
  if (!is_memory_node(lost)) {
    if (another_shadow) co_await follow_shadow();
    co_return true;
  }
  shared_.absent[lost] = anybody_died_ = true;
  if (shared_.options.recovery.of_nodes == RecoveryOptions::OfNodes::printed) {
    if (another_shadow) co_await follow_shadow();
    co_await as_printed();
    co_return false;
  }
  co_await recovered();
  co_return true;
}

sim::Task<void> Recovery::admit(NodeId node) {
  const bool is_shadow = shadows_.came_back(node, membership_);
  if (is_memory_node(node)) {
    nodes_[node]->restart();
    co_await recovered();
  } else if (is_shadow) {
    co_await follow_shadow();
  }
}

// A recovery that is under way may have told the switch and nodes of the old one.
sim::Task<void> Recovery::follow_shadow() {
  if (busy_) {
    co_await recovered();
  } else {
    co_await shadows_.take_over(membership_, incarnation_);
  }
}

// By a recovery that begins now.
sim::Task<void> Recovery::recovered() {
  if (busy_) {
    again_ = true;
    booted_.notify_all();
  } else {
    begin();
  }
  while (busy_) co_await ended_.wait();
}

// Whoever comes back after it has begun waits for the next one. A node that has crashed is waited for until its lease
// is over: before, nobody knows, and what others keep for it would be forgotten.
sim::Task<void> Recovery::at_all(models::Membership::Work work) {
  const bool answered = co_await membership_.round(
      participants_, [this, work = std::move(work)](NodeId node) { return unless_dead(node, work); });
  again_ = again_ || !answered;
}

// A server that is back before its crash was noticed knows nothing.
sim::Task<void> Recovery::unless_dead(NodeId node, models::Membership::Work work) {
  again_ = again_ || nodes_[node]->crashed();
  if (!nodes_[node]->crashed()) co_await work(node);
}

sim::Task<void> Recovery::run() {
  static constexpr std::array kSteps{&NodeRecovery::save, &NodeRecovery::report, &NodeRecovery::rebuild,
                                     &NodeRecovery::supply};
  const sim::Time began = shared_.calendar.now();
  const sim::Duration rest = shared_.options.recovery.rest;
  ++shared_.migration.recoveries.value;
  do {
    again_ = false;
    ++incarnation_;
    participants_.clear();
    for (NodeId node = 0; node < nodes_.size(); ++node) {
      if (membership_.belongs(node)) participants_.push_back(node);
    }
    waits_for_boot_ = true;
    co_await at_all([this](NodeId node) { return stop(node); });
    while (shared_.rack.chassis().is_off()) co_await booted_.wait();
    waits_for_boot_ = false;
    const sim::Time work_began = shared_.calendar.now();
    co_await load_switch();
    if (rest > sim::Duration{}) co_await sim::sleep_for(clock_, rest);
    if (again_) continue;
    co_await at_all([this](NodeId node) { return at_once(&NodeRecovery::connect, node); });
    for (const auto& step : kSteps) {
      if (!again_) co_await at_all([this, &step](NodeId node) { return heed((nodes_[node]->recovery().*step)()); });
    }
    if (again_) continue;
    shadows_.begin_anew(incarnation_);
    tell_of_losses();
    free_locks_();
    welcome();
    co_await at_all([this](NodeId node) { return at_once(&NodeRecovery::go, node); });
    shared_.migration.recovery_work.value +=
        static_cast<std::uint64_t>((shared_.calendar.now() - work_began - rest).ns());
  } while (again_);
  participants_.clear();
  busy_ = shared_.recovering = false;
  ++ended_count_;
  ended_.notify_all();
  shared_.migration.recovery_time.value += static_cast<std::uint64_t>((shared_.calendar.now() - began).ns());
}

// The newest value that anything alive has.
std::map<Tag, std::size_t> Recovery::what_is_left() const {
  std::map<Tag, std::size_t> left;
  const auto keep = [&](Tag tag, sim::Value value) {
    if (value == sim::kNeverWritten) return;
    std::size_t& newest = left[tag];
    newest = std::max(newest, shared_.writes.age(tag, value));
  };
  for (MemoryNode* node : nodes_) {
    if (node->crashed()) continue;
    node->visit_global_memory(keep);
    for (const CacheEntry& entry : node->cache().entries()) {
      if (entry.valid()) keep(entry.tag, entry.value);
    }
    node->recovery().visit_kept([&](const BlockData& block) { keep(block.tag, block.value); });
  }
  return left;
}

void Recovery::tell_of_losses() {
  if (!std::exchange(anybody_died_, false)) return;
  std::map<Tag, std::size_t> left = what_is_left();
  std::vector<Tag> written;
  shared_.writes.visit([&](Tag tag) { written.push_back(tag); });
  for (const Tag tag : written) {
    const std::size_t kept = left[tag];
    const sim::Value recovered = kept > 0 ? shared_.writes.after(tag, kept) : sim::kNeverWritten;
    const DiedWith& died = died_with_[tag];
    std::size_t number = kept;
    shared_.writes.lose_after(tag, kept, [&](sim::Value value) {
      ++number;
      // What neither memory nor a write-back had was in the cache of a node, or kept by one for another.
      const sim::Loss why = number <= died.home         ? sim::Loss::home
                            : number <= died.write_back ? sim::Loss::write_back
                                                        : sim::Loss::holder;
      lose_(tag, value, why, recovered);
    });
    if (number > kept) ++shared_.migration.lost_blocks.value;
  }
  died_with_.clear();
}

// "Drains ... and releases all locks": nobody begins anything before all that is under way has ended.
sim::Task<void> Recovery::as_printed() {
  participants_.clear();
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (membership_.is_member(node)) participants_.push_back(node);
  }
  co_await at_all([this](NodeId node) { return nodes_[node]->recovery().drain(); });
  release_locks();
  co_await at_all([this](NodeId node) { return at_once(&NodeRecovery::go, node); });
}

sim::Task<void> Recovery::stop(NodeId node) {
  nodes_[node]->recovery().stop(incarnation_);
  shadows_.tell(node);
  co_return;
}

sim::Task<void> Recovery::at_once(void (NodeRecovery::*step)(), NodeId node) {
  (nodes_[node]->recovery().*step)();
  co_return;
}

sim::Task<void> Recovery::heed(sim::Task<bool> step) {
  const bool succeeded = co_await std::move(step);
  again_ = again_ || !succeeded;
}

// Operations that were posted before another loss of power end without effect.
sim::Task<void> Recovery::load_switch() {
  ControlOperations operations(shared_.calendar);
  owner_.load(incarnation_, operations);
  co_await operations.ended();
}

}  // namespace racksim::flowcc
