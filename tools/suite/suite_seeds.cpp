// See suite_seeds.hpp.
#include "tools/suite/suite_seeds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/faults/faults.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {
namespace {

/// How often the progress is told while nothing ends.
constexpr std::chrono::milliseconds kNews{200};

bool names_packets(const BoundParameters& fault) {
  const auto& kinds = models::faults();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const auto& kind) { return kind.name == fault.name && kind.names_packets; });
}

}  // namespace

bool must_fail_with_any_seed(const Scenario& scenario) {
  return !scenario.expect.pass.value_or(true) &&
         std::none_of(scenario.faults.begin(), scenario.faults.end(), names_packets);
}

void run_other_seeds(const std::vector<SuiteScenario>& scenarios, std::vector<SuiteResult>& results, unsigned seeds,
                     unsigned jobs, std::chrono::milliseconds limit, const SuiteProgress& progress) {
  struct Run {
    std::size_t scenario;
    std::uint64_t seed;
  };
  std::vector<Run> runs;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (!results[i].passed() || !must_fail_with_any_seed(scenarios[i].scenario)) continue;
    results[i].seeds = SeedCount{1, {}};
    for (unsigned n = 1; n < seeds; ++n) runs.push_back({i, scenarios[i].scenario.seed + n});
  }
  ChildProcesses children(jobs, limit);
  std::size_t next = 0, done = 0;
  while (done < runs.size() && !interrupted()) {
    while (next < runs.size() && children.has_room()) {
      const bool begun = children.start(next, [&scenarios, run = runs[next]] {
        Scenario scenario = scenarios[run.scenario].scenario;
        scenario.seed = run.seed;
        return run_for_suite(scenario);
      });
      if (begun) ++next;
    }
    if (progress) progress(done, runs.size());
    if (const auto ended = children.wait(kNews)) {
      const Run& run = runs[ended->id];
      SeedCount& count = *results[run.scenario].seeds;
      ++count.run;
      if (!judge(scenarios[run.scenario].scenario, std::nullopt, *ended).run_passed()) count.missed.push_back(run.seed);
      ++done;
    }
  }
  for (SuiteResult& result : results) {
    if (!result.seeds) continue;
    SeedCount& count = *result.seeds;
    if (count.run < seeds) {  // interrupted
      result.skipped = true;
      continue;
    }
    std::sort(count.missed.begin(), count.missed.end());
    if (10 * count.missed.size() <= count.run) continue;
    result.failures.push_back(fmt::format(
        "what it expects comes with {} of {} seeds, not nine of ten: not with {}; let more go wrong, or name "
        "the packets that faults hit",
        count.run - count.missed.size(), count.run, fmt::join(count.missed, ", ")));
  }
}

}  // namespace racksim::tools
