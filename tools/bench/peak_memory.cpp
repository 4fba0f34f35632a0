// A run in a child process. See peak_memory.hpp.
#include "tools/bench/peak_memory.hpp"

#include <stdexcept>
#include <string>

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/processes/child_processes.hpp"

namespace racksim::tools {

std::uint64_t peak_memory_of(const Scenario& scenario) {
  const auto run = [&scenario]() -> std::string {
    sim::Metrics metrics;
    if (!run_experiment(scenario, metrics, "", {}).pass)
      throw std::runtime_error("the oracles object to the run of " + scenario.name);
    return "";
  };
  return answer_of(run, "as a process was measuring").peak_bytes;
}

}  // namespace racksim::tools
