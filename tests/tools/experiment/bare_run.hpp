// A run on the bare calendar, without SimGrid: what a test that runs many scenarios in its own process needs.
#pragma once

#include "tools/experiment/driver.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/phases.hpp"
#include "tools/experiment/watch.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools::testing {

/// All phases of the scenario that the assembly was made of.
inline RunOutcome bare_run(Assembly& assembly, const Scenario& scenario) {
  Watch watch(assembly, watch_terms(scenario));
  const Progress nobody;
  Phases phases(assembly, watch, scenario.run, nobody);
  phases.warm_up();
  CalendarDriver driver(assembly, sim::Time{} + scenario.run.time_limit);
  return phases.run(driver);
}

}  // namespace racksim::tools::testing
