// The power of the switch: when it is lost, what waits meanwhile, and how often the switch has booted.
//
// What is inside at the instant of a loss is lost unless its first bit leaves by then, and so is what arrives until the
// boot. Since packets are computed ahead of their departure, a loss is announced when the run begins. Losses may
// overlap: the switch boots when the last of them is over. That a driver's operations wait for the boot, and that those
// posted before it then have no effect, is assumed (docs/hardware.md 6.7).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/slot_access.hpp"

namespace racksim::models {

class SwitchPower {
 public:
  /// An access of the control plane to a pipe.
  using HeldAccess = std::pair<unsigned, SlotAccess*>;

  /// Speaks in the event log as `source`, which is its own: a stepped pass that began before a loss records its end
  /// later than a fused one.
  SwitchPower(RackContext& context, sim::Source source) : context_(context), source_(source) {}

  void announce(sim::Time from);
  /// Takes an announced loss back, or ends it.
  void withdraw(sim::Time from);
  /// The beginning of the earliest loss that is announced and not over.
  sim::Time off_from() const { return off_from_; }
  /// Whether a loss is announced, or lasts.
  bool will_be_off() const { return off_from_ != sim::Time::max(); }

  /// Loses a packet that is in the switch, or comes to it, while it is off.
  void lose(const p4::Packet& packet) const;
  /// Keeps an access that comes while the switch is off.
  void hold(unsigned pipe, SlotAccess& access) { held_.emplace_back(pipe, &access); }
  /// Those that were kept, in their order; they are kept no more.
  std::vector<HeldAccess> take_held() { return std::exchange(held_, {}); }

  void count_boot() { ++boots_; }
  /// How often the switch has booted, the first time included.
  std::uint32_t boots() const { return boots_; }

 private:
  void plan();

  RackContext& context_;
  sim::Source source_;
  std::vector<sim::Time> losses_;  // announced and not over: their beginnings
  sim::Time off_from_ = sim::Time::max();
  std::vector<HeldAccess> held_;
  std::uint32_t boots_ = 0;
};

}  // namespace racksim::models
