// The coordinator's steps. See recovery.hpp.
#include "protocols/flowcc/recovery.hpp"

#include <utility>

namespace racksim::flowcc {

Recovery::Recovery(Shared& shared, std::vector<MemoryNode*> nodes, SwitchOwner& owner, ShadowNode& shadow)
    : shared_(shared),
      nodes_(std::move(nodes)),
      owner_(owner),
      shadow_(shadow),
      membership_(shared.rack, shared.shape.roles, shared.options.recovery.membership, *this),
      clock_(shared.calendar, "flowcc/coordinator"),
      lane_(shared.calendar.add_lane("flowcc/coordinator")),
      booted_(shared.calendar),
      loaded_(shared.calendar),
      tasks_(shared.calendar) {}

void Recovery::add_actors(sim::Engine& engine) {
  membership_.add_actor(engine);
  engine.add_actor("coordinator", engine.add_host("coordinator"), [this](sim::Engine::Actor& actor) {
    for (;;) {
      actor.sleep(membership_.interval());
      actor.post<&Recovery::look>(lane_, *this);
    }
  });
}

void Recovery::look() {
  if (!busy_ && shared_.rack.chassis().is_off()) begin();
}

void Recovery::switch_booted() {
  if (!busy_) return begin();
  if (!waits_for_boot_) again_ = true;
  booted_.notify_all();
}

sim::Task<bool> Recovery::recover(NodeId) {
  co_return false;
}

void Recovery::begin() {
  busy_ = shared_.recovering = true;
  tasks_.spawn(run());
}

sim::Task<void> Recovery::run() {
  const sim::Time began = shared_.calendar.now();
  ++shared_.migration->recoveries.value;
  do {
    again_ = false;
    ++incarnation_;
    waits_for_boot_ = true;
    co_await membership_.round([this](NodeId node) { return stop(node); });
    while (shared_.rack.chassis().is_off()) co_await booted_.wait();
    waits_for_boot_ = false;
    co_await load_switch();
    if (again_) continue;
    co_await membership_.round([this](NodeId node) { return connect(node); });
    if (again_) continue;
    co_await membership_.round([this](NodeId node) { return save(node); });
    if (again_) continue;
    co_await membership_.round([this](NodeId node) { return report(node); });
    if (again_) continue;
    co_await membership_.round([this](NodeId node) { return nodes_[node]->recovery().rebuild(); });
    shadow_.forget(incarnation_);
    if (again_) continue;
    co_await membership_.round([this](NodeId node) { return go(node); });
  } while (again_);
  aborted_.clear();
  busy_ = shared_.recovering = false;
  shared_.migration->recovery_time.value += static_cast<std::uint64_t>((shared_.calendar.now() - began).ns());
}

sim::Task<void> Recovery::stop(NodeId node) {
  nodes_[node]->recovery().stop(incarnation_, aborted_);
  co_return;
}

sim::Task<void> Recovery::connect(NodeId node) {
  nodes_[node]->recovery().connect();
  co_return;
}

sim::Task<void> Recovery::go(NodeId node) {
  nodes_[node]->recovery().go();
  co_return;
}

sim::Task<void> Recovery::save(NodeId node) {
  const bool saved = co_await nodes_[node]->recovery().save(aborted_);
  again_ = again_ || !saved;
}

sim::Task<void> Recovery::report(NodeId node) {
  const bool told = co_await nodes_[node]->recovery().report();
  again_ = again_ || !told;
}

// Operations that were posted before another loss of power end without effect.
sim::Task<void> Recovery::load_switch() {
  const auto done = [this](std::uint64_t) {
    if (--operations_ == 0) loaded_.notify_all();
  };
  operations_ = 1;  // so that it cannot come to an end before all are posted
  const std::uint64_t groups = owner_.load(incarnation_, [&]() -> models::ControlCpu::Done {
    ++operations_;
    return done;
  });
  --operations_;
  while (operations_ > 0) co_await loaded_.wait();
  const auto rate = static_cast<double>(shared_.rack.chassis().options().control_operations_per_second);
  co_await sim::sleep_for(clock_,
                          sim::Duration::from_ps(static_cast<std::int64_t>(1e12 * static_cast<double>(groups) / rate)));
}

}  // namespace racksim::flowcc
