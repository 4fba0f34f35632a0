// A quiet rack, with idle passes run and skipped in turns. See idle_passes.hpp.
#include "tools/bench/idle_passes.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

double simulated_seconds_per_second(unsigned simulated_ms, const char* idle_passes, const Catalogue& catalogue) {
  const Scenario scenario = load_scenario(find_scenario_file("starcache/zipf-0.99.json"), catalogue,
                                          {"workload.rate=1000", fmt::format("run.measure={}ms", simulated_ms),
                                           fmt::format("run.idle_passes={}", idle_passes)});
  const double seconds = measured_apart([&scenario] {
    sim::Metrics metrics;
    const double begin = processor_seconds();
    const RunResult result = run_experiment(scenario, metrics, "", {});
    const double end = processor_seconds();
    if (!result.pass) throw std::runtime_error("the oracles object to the run of " + scenario.name);
    return end - begin;
  });
  return simulated_ms * 1e-3 / seconds;
}

}  // namespace

IdlePassesResult run_idle_passes(unsigned simulated_ms, unsigned rounds, const Catalogue& catalogue) {
  std::vector<double> skipped, run;
  for (unsigned round = 0; round < rounds; ++round) {
    skipped.push_back(simulated_seconds_per_second(100 * simulated_ms, "skip", catalogue));
    run.push_back(simulated_seconds_per_second(simulated_ms, "run", catalogue));
  }
  return {spread_of(skipped), spread_of(run), ratio_of(skipped, run)};
}

}  // namespace racksim::tools
