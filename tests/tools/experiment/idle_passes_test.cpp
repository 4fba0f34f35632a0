// StarCache's packets circulate idly nearly all the time: computing those passes instead of running them changes no run
// hash, no metric and no verdict, and makes quiet runs quick.
#include <catch2/catch.hpp>
#include <chrono>

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/files/data_files.hpp"
#include "tools/fuzz/swarm.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/report/run_folder.hpp"
#include "tools/scenario/scenario.hpp"

namespace idle_passes_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

const Catalogue& catalogue() {
  static const Catalogue built_in = built_in_catalogue();
  return built_in;
}

struct Seen {
  std::string results;  // the report: hash, metrics and verdict
  std::uint64_t events = 0;
};

/// Runs in a process of its own.
Seen run(const JsonValue& document, const std::string& file, std::vector<std::string> overrides,
         const std::string& idle_passes) {
  overrides.push_back("run.idle_passes=" + idle_passes);
  ChildProcesses child(1);
  [[maybe_unused]] const bool begun = child.start(0, [&] {
    const Scenario scenario = read_scenario(document, file, catalogue(), overrides);
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {});
    JsonValue report = stored_run(scenario, result, metrics).report;
    for (const char* own : {"config", "events", "wall_s", "wall"}) report.erase(own);
    return std::to_string(result.events) + " " + to_json(report);
  });
  std::optional<ChildResult> ended;
  while (!ended) ended = child.wait(std::chrono::seconds(1));
  INFO(ended->text);
  if (ended->ending == ChildResult::Ending::threw) return {ended->text, 0};  // it does not fit its rack
  REQUIRE(ended->answered());
  const auto space = ended->text.find(' ');
  return {ended->text.substr(space + 1), std::stoull(ended->text.substr(0, space))};
}

}  // namespace

TEST_CASE("StarCache's runs are the same with idle passes skipped and run, with faults, writes and swaps") {
  const std::string file = find_scenario_file("scenarios/fuzz/starcache.json");
  const Swarm swarm(read_json_file(file), file, catalogue(), {}, 1);
  int fewer = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("run " << seed);
    const JsonValue document = swarm.derive(seed);
    const Seen ran = run(document, file, {}, "run"), skipped = run(document, file, {}, "skip");
    CHECK(ran.results == skipped.results);
    CHECK(ran.events >= skipped.events);
    fewer += ran.events > skipped.events;
  }
  CHECK(fewer > 5);
}

TEST_CASE("a quiet StarCache run takes a hundredth of the events when idle passes are skipped") {
  const std::string file = find_scenario_file("scenarios/starcache/zipf-0.99.json");
  const JsonValue document = read_json_file(file);
  const std::vector<std::string> quiet{"workload.rate=1000", "run.measure=20ms", "workload.keys=100000"};
  const Seen ran = run(document, file, quiet, "run"), skipped = run(document, file, quiet, "skip");
  CHECK(ran.results == skipped.results);
  CHECK(ran.events > 100 * skipped.events);
}

}  // namespace idle_passes_test
