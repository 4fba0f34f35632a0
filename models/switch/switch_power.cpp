// Announced losses of power. See switch_power.hpp.
#include "models/switch/switch_power.hpp"

#include <algorithm>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

void SwitchPower::announce(sim::Time from) {
  losses_.push_back(from);
  plan();
}

void SwitchPower::withdraw(sim::Time from) {
  const auto announced = std::find(losses_.begin(), losses_.end(), from);
  RACKSIM_INVARIANT(announced != losses_.end(), "a loss of power that is withdrawn was announced");
  losses_.erase(announced);
  plan();
}

void SwitchPower::plan() {
  const auto earliest = std::min_element(losses_.begin(), losses_.end());
  off_from_ = earliest == losses_.end() ? sim::Time::max() : *earliest;
}

void SwitchPower::lose(const p4::Packet& packet) const {
  context_.drop(source_, context_.calendar.now(), packet, DropReason::switch_off);
}

}  // namespace racksim::models
