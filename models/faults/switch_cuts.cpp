// Faults of a part of the switch: `recirculation-down`, a pipe's recirculation port, `pipe-down`, a pipe with all its
// ports, and `shuffled-resubmits`, the order of packets between their passes. Registers, tables and the control plane's
// access to them outlast them.
#include <fmt/core.h>

#include "models/faults/fault.hpp"
#include "models/switch/switch_chassis.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

using namespace sim::literals;

/// What all have in common: the pipe.
class FaultOfPipe : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    p.integer("pipe", pipe_, 0, SwitchOptions::kMostPorts - 1, "The pipe of the switch that it hits.");
  }
  void check(Rack& rack) const override {
    Fault::check(rack);
    if (pipe_ >= rack.chassis().pipes()) {
      throw sim::OptionError("pipe", fmt::format("{}", pipe_),
                             fmt::format("a pipe of the switch, which has {}", rack.chassis().pipes()));
    }
  }
  std::string where() const override { return fmt::format("pipe{} of the switch", pipe_); }
  bool acts_on_packets_alone() const override { return true; }

 protected:
  unsigned pipe() const { return static_cast<unsigned>(pipe_); }

 private:
  std::uint64_t pipe_ = 0;
};

class SwitchCut : public FaultOfPipe {
 public:
  void begin(Rack& rack) override { set_up(rack, pipe(), false); }
  void end(Rack& rack) override { set_up(rack, pipe(), true); }

 private:
  virtual void set_up(Rack& rack, unsigned pipe, bool up) const = 0;
};

class ShuffledResubmits final : public FaultOfPipe {
 public:
  void declare(sim::Parameters& p) override {
    FaultOfPipe::declare(p);
    p.length("most", most_, 1_ns, 1_s, "The longest time that a resubmitted packet waits for its next pass.");
  }
  void begin(Rack& rack) override { rack.chassis().shuffle_resubmits(pipe(), most_); }
  void end(Rack& rack) override { rack.chassis().shuffle_resubmits(pipe(), {}); }
  bool replaces_earlier() const override { return true; }
  void draw(sim::RandomStream& random, const FaultScene& scene) override {
    Fault::draw(random, scene);
    most_ = draw_length(random, 10_ns, 20_us);
  }

 private:
  sim::Duration most_ = 1_us;
};

class RecirculationDown final : public SwitchCut {
  void set_up(Rack& rack, unsigned pipe, bool up) const override { rack.chassis().set_recirculation_up(pipe, up); }
};

class PipeDown final : public SwitchCut {
  void set_up(Rack& rack, unsigned pipe, bool up) const override { rack.chassis().set_pipe_up(pipe, up); }
};

const sim::Registration<FaultEntry> recirculation_down(
    {.name = "recirculation-down",
     .doc = "a pipe's recirculation port is cut: what goes round by it is lost, the pipe's state is not",
     .make = [] { return std::make_shared<RecirculationDown>(); }});

const sim::Registration<FaultEntry> shuffled_resubmits(
    {.name = "shuffled-resubmits",
     .doc = "resubmitted packets wait for a random time before their next pass, and overtake each other",
     .make = [] { return std::make_shared<ShuffledResubmits>(); }});

const sim::Registration<FaultEntry> pipe_down(
    {.name = "pipe-down",
     .doc = "a pipe of the switch is cut: nothing comes in or goes out by its ports, its state outlasts it",
     .make = [] { return std::make_shared<PipeDown>(); }});

}  // namespace

}  // namespace racksim::models
