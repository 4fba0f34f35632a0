// What drives an assembly's calendar: SimGrid's engine, under which the actors of control planes run too, or nothing
// but the calendar's own loop, of which a process may hold several.
#pragma once

#include <functional>
#include <vector>

#include "models/rack/rack.hpp"
#include "sim/kernel/time.hpp"
#include "sim/simgrid/engine.hpp"
#include "tools/experiment/assembly.hpp"

namespace racksim::tools {

class Driver {
 public:
  using Outcome = sim::Engine::Outcome;

  virtual ~Driver() = default;
  /// Runs to the end. Throws what an event or an actor threw. Called once.
  virtual Outcome run() = 0;
  /// Ends the run at the present instant. For calendar events.
  virtual void finish() = 0;
};

/// SimGrid, with the nodes as its hosts, which go off and on with them, and the protocol's actors. One in a process.
class SimgridDriver final : public Driver, private models::CrashObserver {
 public:
  /// The warm-up must be done. `look_in` is called now and then (Engine::look_in).
  SimgridDriver(Assembly& assembly, sim::Time limit, std::function<void()> look_in);
  Outcome run() override { return engine_.run(); }
  void finish() override { engine_.finish(); }

 private:
  void node_crashed(models::NodeId node) override { engine_.switch_off(hosts_.at(node)); }
  void node_restarted(models::NodeId node) override { engine_.switch_on(hosts_.at(node)); }

  sim::Engine engine_;
  std::vector<sim::HostId> hosts_;  // by node
};

/// The calendar alone: a protocol whose control plane has actors does without them. Others may have run the calendar
/// before, and `finish` may come before `run`.
class CalendarDriver final : public Driver {
 public:
  CalendarDriver(Assembly& assembly, sim::Time limit) : calendar_(assembly.calendar()), limit_(limit) {}
  Outcome run() override;
  void finish() override;

 private:
  sim::Calendar& calendar_;
  sim::Time limit_;
  bool finished_ = false;
};

}  // namespace racksim::tools
