// The actor of the rounds. See rounds.hpp.
#include "protocols/switch_cache/rounds.hpp"

namespace racksim::switch_cache {

Rounds::Rounds(sim::Calendar& calendar, sim::Duration interval)
    : interval_(interval), scope_(calendar), lane_(calendar.add_lane("switch/controller")) {}

void Rounds::add_actor(sim::Engine& engine) {
  over_ = &engine.add_wake_up();
  const sim::HostId host = engine.add_host("switch-control");
  engine.add_actor("controller", host, [this](sim::Engine::Actor& actor) {
    while (true) {
      actor.sleep(interval_);
      actor.post<&Rounds::begin_round>(lane_, *this);
      actor.wait(*over_);
    }
  });
}

void Rounds::begin_round() {
  scope_.spawn(round_and_wake());
}

sim::Task<void> Rounds::round_and_wake() {
  co_await round();
  over_->wake();
}

}  // namespace racksim::switch_cache
