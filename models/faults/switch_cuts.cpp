// Faults of a part of the switch: `recirculation-down`, a pipe's recirculation port, and `pipe-down`, a pipe with all
// its ports. Registers, tables and the control plane's access to them outlast both.
#include <fmt/core.h>

#include "models/faults/fault.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

using namespace sim::literals;

/// What both have in common: the pipe.
class SwitchCut : public Fault {
 public:
  void declare(sim::Parameters& p) override {
    Fault::declare(p);
    p.integer("pipe", pipe_, 0, 255, "The pipe of the switch that it hits.");
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
  void begin(Rack& rack) override { set_up(rack, pipe(), false); }
  void end(Rack& rack) override { set_up(rack, pipe(), true); }

 protected:
  unsigned pipe() const { return static_cast<unsigned>(pipe_); }

 private:
  virtual void set_up(Rack& rack, unsigned pipe, bool up) const = 0;

  std::uint64_t pipe_ = 0;
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

const sim::Registration<FaultEntry> pipe_down(
    {.name = "pipe-down",
     .doc = "a pipe of the switch is cut: nothing comes in or goes out by its ports, its state outlasts it",
     .make = [] { return std::make_shared<PipeDown>(); }});

}  // namespace

}  // namespace racksim::models
