// How far a run is: the share of warm-up and measurement that is over, and what is said of it.
#include "tools/recording/run_progress.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "tests/places.hpp"
#include "tools/experiment/driver.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/phases.hpp"
#include "tools/scenario/scenario.hpp"

namespace run_progress_test {

using namespace racksim;
using namespace racksim::tools;
using Stage = RunProgress::Stage;

namespace {

/// What a run on the bare calendar tells.
std::vector<RunProgress> told_by_run(std::vector<std::string> changes) {
  static const Catalogue catalogue = built_in_catalogue();
  changes.emplace_back("workload.threads=2");
  const Scenario scenario = load_scenario(places::source_folder() + "/scenarios/quickstart.json", catalogue, changes);
  sim::Metrics metrics;
  Assembly assembly(parts_of(scenario, nullptr), metrics);
  Watch watch(assembly, watch_terms(scenario));
  std::vector<RunProgress> told;
  const Progress progress = [&](const RunProgress& now) { told.push_back(now); };
  Phases phases(assembly, watch, scenario.run, progress);
  phases.warm_up();
  CalendarDriver driver(assembly, sim::Time{} + scenario.run.time_limit);
  phases.run(driver);
  return told;
}

/// The least and the greatest share that is told in a stage; nothing where none is.
std::pair<std::optional<double>, std::optional<double>> shares(const std::vector<RunProgress>& told, Stage stage) {
  std::optional<double> least, most;
  for (const RunProgress& one : told) {
    if (one.stage != stage || !one.done) continue;
    if (!least) least = one.done;
    most = one.done;
  }
  return {least, most};
}

}  // namespace

TEST_CASE("a run tells its stages in their order, and of time and operations never less") {
  const auto told = told_by_run({"run.warmup=100us", "run.measure=300us"});
  REQUIRE(told.size() > 10);
  CHECK(told.front().stage == Stage::filling);
  CHECK(told.back().stage == Stage::judging);
  for (std::size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].stage >= told[i - 1].stage);
    CHECK(told[i].now >= told[i - 1].now);
    CHECK(told[i].operations >= told[i - 1].operations);
  }
  for (const RunProgress& one : told) {
    if (one.stage != Stage::warm_up && one.stage != Stage::measure) continue;
    // Warm-up and measurement together are 400 us.
    CHECK(*one.done == Approx(one.now.seconds() / 400e-6));
  }
}

TEST_CASE("the share is by operations where those end the phases, and of the whole where the units differ") {
  const auto by_operations = told_by_run({"run.warmup={\"operations\": 500}", "run.measure={\"operations\": 1500}"});
  for (const RunProgress& one : by_operations) {
    if (one.stage == Stage::warm_up) CHECK(*one.done == Approx(static_cast<double>(one.operations) / 2000));
    if (one.stage == Stage::measure)
      CHECK(*one.done == Approx(static_cast<double>(one.operations) / 2000).margin(0.01));
  }
  CHECK(shares(by_operations, Stage::measure).second.value() > 0.5);
  // A warm-up of so long before so many operations: only then it is known how many there are in all.
  const auto mixed = told_by_run({"run.warmup=100us", "run.measure={\"operations\": 1500}"});
  CHECK(!shares(mixed, Stage::warm_up).first);
  CHECK(shares(mixed, Stage::measure).first.value() > 0.1);
  for (const RunProgress& one : mixed) {
    // The warm-up's, several hundred of them, are part of the whole.
    if (one.stage == Stage::measure) CHECK(static_cast<double>(one.operations) / one.done.value() > 1600);
  }
  const auto other = told_by_run({"run.warmup={\"operations\": 500}", "run.measure=300us"});
  CHECK(!shares(other, Stage::warm_up).first);
  CHECK(shares(other, Stage::measure).second.value() > 0.5);
  // Without a warm-up nothing is unknown.
  const auto none = told_by_run({"run.warmup=0s", "run.measure={\"operations\": 1500}"});
  CHECK(shares(none, Stage::measure).second.value() > 0.5);
}

TEST_CASE("progress in words has the phase, simulated time, operations, their rate, and the time left") {
  RunProgress progress{
      .stage = Stage::measure, .now = sim::Time::from_ps(1'500'000'000), .operations = 3000, .done = 0.25};
  CHECK(progress_text(progress, 10) == "1.500 ms simulated, 3000 operations, 300/s, 25 %, about 30 s left");
  progress.stage = Stage::warm_up;
  CHECK(progress_text(progress, 10) == "warm-up: 1.500 ms simulated, 3000 operations, 300/s, 25 %, about 30 s left");
  progress.stage = Stage::drain;
  CHECK(progress_text(progress, 10) == "drain: 1.500 ms simulated, 3000 operations, 300/s");
  progress.done.reset();
  progress.stage = Stage::measure;
  CHECK(progress_text(progress, 0) == "1.500 ms simulated, 3000 operations");
  progress.stage = Stage::judging;
  CHECK(progress_text(progress, 10) == "judging 3000 operations");
  progress.stage = Stage::filling;
  CHECK(progress_text(progress, 0) == "filling caches before the run");
}

}  // namespace run_progress_test
