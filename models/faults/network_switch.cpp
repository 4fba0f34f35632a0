// Faults of the switch: `switch-restart` (with loss of all its state) and `control-delay`.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "models/faults/fault.hpp"
#include "models/switch/control_cpu.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

using namespace sim::literals;

class SwitchRestart final : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    p.length("from", from_, 0_s, kEver, "When the switch loses power.");
    p.length("dead_time", dead_time_, 1_us, 100_s, "How long it is off and boots.");
    switch_.declare(p);
  }
  sim::Duration until() const override { return from_ + dead_time_; }
  void check(Rack& rack) const override {
    switch_.check(rack);
    const sim::Duration shortest = rack.chassis(switch_.of(rack)).shortest_off();
    if (dead_time_ < shortest) {
      throw sim::OptionError("dead_time", fmt::format("{} ns", dead_time_.ns()),
                             fmt::format("at least the {} ns that a packet spends in the switch", shortest.ns()));
    }
  }
  std::string where() const override { return switch_.where(); }
  void announce(Rack& rack) override { rack.chassis(switch_.of(rack)).announce_power_loss(sim::Time{} + from()); }
  void withdraw(Rack& rack) override { rack.chassis(switch_.of(rack)).withdraw_power_loss(sim::Time{} + from()); }
  void begin(Rack& rack) override { rack.chassis(switch_.of(rack)).power_off(); }
  void end(Rack& rack) override { rack.restart_switch(sim::Time{} + from(), switch_.of(rack)); }
  // Once it is near it comes, and it lasts long enough for passes under way to end.
  sim::Time healed_by(sim::Time heal) const override {
    const sim::Time begins = sim::Time{} + from();
    return (begins < heal + kHealNotice ? std::max(heal, begins) : heal) + kHealNotice;
  }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    dead_time_ = draw_length(random, 5_us, 200_us);
    switch_.draw(random, scene);
  }

 private:
  sim::Duration dead_time_ = 100_us;
  SwitchChoice switch_;
};

class ControlDelay final : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    p.real("factor", factor_, 1, 1000,
           "How many times as long the control CPU takes for each register or table operation.");
    p.length("added", added_, 0_s, 1_s, "How much later each operation reaches its pipe.");
    switch_.declare(p);
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    switch_.check(rack);
  }
  std::string where() const override { return switch_.where(); }
  void begin(Rack& rack) override { rack.control_cpu(switch_.of(rack)).set_delay(factor_, added_); }
  void end(Rack& rack) override { rack.control_cpu(switch_.of(rack)).set_delay(1, {}); }
  bool replaces_earlier() const override { return true; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    constexpr std::array kFactors{1.0, 3.0, 10.0, 100.0};
    factor_ = kFactors.at(random.below(kFactors.size()));
    added_ = draw_length(random, 1_us, 1_ms);
    switch_.draw(random, scene);
  }

 private:
  double factor_ = 1;
  sim::Duration added_ = 100_us;
  SwitchChoice switch_;
};

const sim::Registration<FaultEntry> switch_restart(
    {.name = "switch-restart",
     .doc = "the switch loses power: packets inside, registers, tables and groups; it boots with plain routes only",
     .make = [] { return std::make_shared<SwitchRestart>(); }});

const sim::Registration<FaultEntry> control_delay(
    {.name = "control-delay",
     .doc = "the switch's control CPU is slow; of two at once the later to begin holds",
     .make = [] { return std::make_shared<ControlDelay>(); }});

}  // namespace

}  // namespace racksim::models
