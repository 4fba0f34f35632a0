// A controller that works in rounds: a SimGrid actor on the switch's control CPU begins one each interval and waits for
// its end; what a round does to switch and servers takes its time in the calendar.
#pragma once

#include "sim/kernel/task.hpp"
#include "sim/simgrid/engine.hpp"

namespace racksim::switch_cache {

class Rounds {
 public:
  /// Takes a lane of the calendar for the control plane.
  Rounds(sim::Calendar& calendar, sim::Duration interval);
  virtual ~Rounds() = default;
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Adds the actor that begins a round each interval.
  void add_actor(sim::Engine& engine);

  /// One round. Not while another is under way.
  virtual sim::Task<void> round() = 0;
  bool in_round() const { return scope_.running() > 0; }

 private:
  void begin_round();
  sim::Task<void> round_and_wake();

  sim::Duration interval_;
  sim::Scope scope_;
  sim::Lane lane_;
  sim::Engine::WakeUp* over_ = nullptr;
};

}  // namespace racksim::switch_cache
