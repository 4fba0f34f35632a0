// A run in a child process. See peak_memory.hpp.
#include "tools/bench/peak_memory.hpp"

#include <stdexcept>

#include "sim/metrics/metrics.hpp"
#include "tools/bench/forked_child.hpp"
#include "tools/experiment/experiment.hpp"

namespace racksim::tools {

std::uint64_t peak_memory_of(const Scenario& scenario) {
  ForkedChild child([&scenario](const ForkedChild::NextRequest& next) {
    if (!next(0)) return;
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {});
    if (!result.pass) throw std::runtime_error("the oracles object to the run of " + scenario.name);
    next(static_cast<double>(result.operations));
  });
  child.ask();
  return child.finish();
}

}  // namespace racksim::tools
