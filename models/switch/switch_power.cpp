// A switch that loses its power and boots again: what is lost, what waits, and what begins anew. See
// switch_chassis.hpp.
#include <algorithm>
#include <utility>

#include "models/switch/switch_pipe.hpp"

namespace racksim::models {

void SwitchChassis::announce_power_loss(sim::Time from) {
  surface();  // what is lost then must be events
  power_losses_.push_back(from);
  plan_power_losses();
}

void SwitchChassis::withdraw_power_loss(sim::Time from) {
  power_losses_.erase(std::find(power_losses_.begin(), power_losses_.end(), from));
  plan_power_losses();
}

void SwitchChassis::plan_power_losses() {
  const auto earliest = std::min_element(power_losses_.begin(), power_losses_.end());
  off_from_ = earliest == power_losses_.end() ? sim::Time::max() : *earliest;
}

// What is in the queues or on its way there has been or will be dropped when its departure is computed.
void SwitchChassis::power_off() {
  for (auto& pipe : pipes_) {
    while (!pipe->waiting.empty()) {
      ++pipe->lost_slots;
      refuse(*pipe, pipe->waiting.pop());
    }
  }
  for (auto& wire : recirculation_) wire->set_up(false);
}

void SwitchChassis::power_on(sim::Time from, const std::function<void()>& configure) {
  withdraw_power_loss(from);
  for (auto& wire : recirculation_) wire->set_up(true);
  if (context_.calendar.now() >= off_from_) return;
  boot();
  use_rings();
  replication_ = {};
  traffic_manager_ = TrafficManager(options_, outgoing_.size());
  configure();
  for (const auto& [pipe, access] : std::exchange(held_accesses_, {})) enter(*pipe, Entry{{}, {}, access});
}

// The switch is off: a packet is lost, an access of the control plane waits.
void SwitchChassis::refuse(Pipe& pipe, Entry&& entry) {
  if (entry.access) {
    held_accesses_.emplace_back(&pipe, entry.access);
    return;
  }
  no_longer_inside(entry.metadata.port);
  // A source of its own: a stepped pass that began before records its end later than a fused one.
  context_.drop(power_source_, context_.calendar.now(), *entry.packet, DropReason::switch_off);
}

}  // namespace racksim::models
