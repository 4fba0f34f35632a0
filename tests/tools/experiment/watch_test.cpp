// The run as a library: assemblies without SimGrid, several in a process, and the oracles that watch them.
#include "tools/experiment/watch.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/options/misfit.hpp"
#include "tools/experiment/driver.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/phases.hpp"
#include "tools/files/data_files.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/scenario.hpp"

using namespace racksim;
using namespace racksim::tools;

namespace {

Scenario scenario_of(const char* file, const std::vector<std::string>& overrides = {}) {
  return load_scenario(find_scenario_file(file), built_in_catalogue(), overrides);
}

/// The oracle of that name as it watches a run of the scenario; null, with the reason, if it cannot judge such a run.
struct Attached {
  std::string name, refusal;
};
Attached attached(const Scenario& scenario, const std::string& oracle) {
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  auto terms = watch_terms(scenario);
  terms.oracles = {oracle};
  try {
    Watch watch(assembly, terms);
    watch.begin();
    REQUIRE(watch.oracles().size() == 1);
    return {watch.oracles().front()->name(), ""};
  } catch (const sim::Misfit& misfit) {
    return {"", misfit.option()};
  }
}

/// On the bare calendar.
Course run(Assembly& assembly, const Scenario& scenario) {
  const Progress nobody;
  Watch watch(assembly, watch_terms(scenario));
  Phases phases(assembly, watch, scenario.run, nobody);
  phases.warm_up();
  CalendarDriver driver(assembly, sim::Time{} + scenario.run.time_limit);
  return phases.run(driver);
}

}  // namespace

TEST_CASE("every oracle that is listed is attached, or says which option of check is not for such a protocol") {
  const Scenario scenarios[] = {scenario_of("scenarios/quickstart.json"),
                                scenario_of("scenarios/starcache/zipf-0.99.json", {"workload.keys=1000"}),
                                scenario_of("scenarios/litmus/sb.json")};
  for (const auto& entry : models::oracles()) {
    INFO(entry.name);
    REQUIRE(entry.make);
    int times = 0;
    for (const Scenario& scenario : scenarios) {
      const Attached one = attached(scenario, entry.name);
      if (one.refusal.empty()) {
        CHECK(one.name == entry.name);
        ++times;
      } else {
        CHECK(one.refusal == "/check/" + entry.name);
      }
    }
    CHECK(times > 0);
  }
}

TEST_CASE("a process runs several racks on their bare calendars, with the run hash that SimGrid's engine gives") {
  const Scenario scenario = scenario_of("scenarios/quickstart.json", {"run.measure.operations=500"});
  ChildProcesses child(1);
  child.start(0, [&] {
    sim::Metrics metrics;
    return run_experiment(scenario, metrics, "", {}).hash.hex();
  });
  std::optional<ChildResult> engine;
  while (!engine) engine = child.wait(std::chrono::seconds(1));
  for (int i = 0; i < 2; ++i) {
    sim::Metrics metrics;
    Assembly assembly(parts_of(scenario, nullptr), metrics);
    CHECK(run(assembly, scenario).hash.hex() == engine->text);
  }
}

TEST_CASE("the watch judges the values at rest only if the run has come to rest") {
  const Scenario scenario = scenario_of("scenarios/quickstart.json", {"run.measure.operations=500"});
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  auto terms = watch_terms(scenario);
  terms.oracles = {"values-at-rest"};
  Watch watch(assembly, terms);
  assembly.warm_up();
  watch.begin();
  assembly.workload().start();
  assembly.calendar().run_until(sim::Time::from_ps(20'000'000));  // in the midst of operations
  REQUIRE_FALSE(assembly.at_rest());
  CHECK(watch.finish(assembly.at_rest()).violation_count == 0);
  // What is under way is not where it should be, had it come to rest.
  Watch hasty(assembly, terms);
  CHECK(hasty.finish(true).violation_count > 0);
}
