// Fuzzing FlowCC itself: what is broken is found and shrunk, what is whole passes, and coverage tells what was met.
#include "tools/fuzz/fuzz.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "models/service/protocol.hpp"
#include "tests/places.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/fuzz/shrink.hpp"

namespace fuzz_test {

using namespace racksim;
using namespace racksim::tools;
using namespace std::chrono_literals;

namespace {

constexpr const char* kHarsh = "scenarios/regress/flowcc/shipped.json/harsh";

const Catalogue& catalogue() {
  static const Catalogue built_in = built_in_catalogue();
  return built_in;
}

Swarm swarm_of(const std::vector<std::string>& overrides = {}, std::uint64_t seed = 1) {
  return load_swarm(kHarsh, catalogue(), overrides, seed);
}

FuzzPlan plan_of(std::uint64_t runs, unsigned jobs = 2) {
  FuzzPlan plan;
  plan.runs = runs;
  plan.limits.jobs = jobs;
  return plan;
}

/// The result of one trial of a document, in a child process.
TrialResult trial_of(const JsonValue& document, bool with_coverage) {
  const ScenarioRunner runner = scenario_runner(catalogue(), with_coverage ? TrialDetail::coverage : TrialDetail::none);
  return try_once({}, [&] { return runner(document); });
}

/// Runs the racksim program; its exit status.
int run_program(const std::string& arguments) {
  const int status = std::system((racksim::places::racksim_program() + " " + arguments + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a campaign ends with the same failure whatever the number of jobs") {
  const Swarm swarm = swarm_of();
  // A made-up defect that a few of the derived scenarios show.
  const ScenarioRunner runner = [](const JsonValue& document) {
    TrialResult result;
    result.operations = *document.find("seed")->natural();
    if (result.operations % 11 != 0) return result;
    result.verdict = TrialResult::Verdict::failed;
    result.kind = "made-up";
    result.kinds = {"made-up"};
    return result;
  };
  FuzzPlan plan = plan_of(500, 1);
  plan.failures = 3;
  const FuzzResult one = fuzz(swarm, plan, runner, {});
  plan.limits.jobs = 3;
  const FuzzResult three = fuzz(swarm, plan, runner, {});
  REQUIRE(one.failures.size() == 3);
  REQUIRE(three.failures.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(one.failures[i].index == three.failures[i].index);
    CHECK(*swarm.derive(one.failures[i].index).find("seed")->natural() % 11 == 0);
  }
  CHECK(one.runs == one.failures.back().index + 1);
  CHECK(one.runs == three.runs);
  CHECK(one.operations == three.operations);
}

TEST_CASE("what is refused is drawn again, by the numbers alone, and the campaign counts how often") {
  const Swarm swarm = swarm_of();
  const auto seed_of = [](const JsonValue& document) { return *document.find("seed")->natural(); };
  // Two of three drawings do not fit.
  const ScenarioRunner runner = [&](const JsonValue& document) {
    TrialResult result;
    if (seed_of(document) % 3 != 0) result.verdict = TrialResult::Verdict::refused;
    result.operations = 1;
    return result;
  };
  std::uint64_t expected = 0;
  for (std::uint64_t index = 0; index < 30; ++index) {
    std::uint64_t redraw = 0;
    while (seed_of(swarm.derive(index, redraw)) % 3 != 0) ++redraw;
    REQUIRE(redraw < kMostRedraws);
    expected += redraw;
  }
  const FuzzResult result = fuzz(swarm, plan_of(30), runner, {});
  CHECK(result.runs == 30);
  CHECK(result.refused == 0);
  CHECK(result.redraws == expected);
  CHECK(expected > 0);
}

TEST_CASE("what mechanisms did is summed over the campaign") {
  const ScenarioRunner runner = [](const JsonValue&) {
    TrialResult result;
    result.work = {{1, 4}, {2, 2}};
    return result;
  };
  const FuzzResult result = fuzz(swarm_of(), plan_of(10), runner, {});
  REQUIRE(result.work.size() == 2);
  CHECK(result.work[0].part == 10);
  CHECK(result.work[0].whole == 40);
  CHECK(result.work[1].part == 20);
}

TEST_CASE("an expectation of the template that a calm run does not meet is a failure of its own kind") {
  const std::string file = find_scenario_file("scenarios/fuzz/nocache.json");
  JsonValue document = read_json_file(file);
  document.set("expect", JsonValue::object()).set("store.answers", JsonValue::object()).set("max", 0);
  const Swarm swarm(document, file, catalogue(), {}, 1);
  std::uint64_t calm = 0;
  while (swarm.derive(calm).find("expect") == nullptr) ++calm;
  const auto trial = [&](bool expectations) {
    const ScenarioRunner runner = scenario_runner(catalogue(), {TrialDetail::none, expectations});
    return try_once({}, [&] { return runner(swarm.derive(calm)); });
  };
  const TrialResult judged = trial(true);
  CHECK(judged.failed());
  CHECK(judged.kind == "expectation");
  CHECK(judged.what.find("store.answers is ") != std::string::npos);
  CHECK_FALSE(trial(false).failed());
}

TEST_CASE("a campaign counts hangs and crashes as failures and goes on") {
  const Swarm swarm = swarm_of();
  const std::string third = *swarm.derive(3).find("name")->string(), fifth = *swarm.derive(5).find("name")->string();
  const ScenarioRunner runner = [&](const JsonValue& document) {
    const std::string& name = *document.find("name")->string();
    while (name == third) std::this_thread::sleep_for(1s);
    if (name == fifth) std::quick_exit(134);
    return TrialResult{};
  };
  FuzzPlan plan = plan_of(8);
  plan.failures = 10;
  plan.limits.wall_clock = 300ms;
  const FuzzResult result = fuzz(swarm, plan, runner, {});
  CHECK(result.runs == 8);
  REQUIRE(result.failures.size() == 2);
  CHECK(result.failures[0].index == 3);
  CHECK(result.failures[0].result.kind == "hang");
  CHECK(result.failures[1].index == 5);
  CHECK(result.failures[1].result.kind == "crash");
}

TEST_CASE("a run that hung or crashed after it was drawn again is known by its redraw") {
  const Swarm swarm = swarm_of();
  const auto seed_of = [](const JsonValue& document) { return *document.find("seed")->natural(); };
  const ScenarioRunner runner = [&](const JsonValue& document) {
    if (seed_of(document) % 3 == 0) std::quick_exit(134);
    TrialResult result;
    result.verdict = TrialResult::Verdict::refused;
    return result;
  };
  FuzzPlan plan = plan_of(10);
  plan.failures = 10;
  const FuzzResult result = fuzz(swarm, plan, runner, {});
  REQUIRE(result.failures.size() == 10);
  for (const auto& failure : result.failures) {
    CHECK(failure.result.kind == "crash");
    CHECK(seed_of(swarm.derive(failure.index, failure.result.redraws)) % 3 == 0);
  }
  CHECK(result.redraws > 0);
}

TEST_CASE("a campaign is bounded by time") {
  FuzzPlan plan;
  plan.time = 200ms;
  const FuzzResult result = fuzz(swarm_of(), plan, [](const JsonValue&) { return TrialResult{}; }, {});
  CHECK(result.failures.empty());
}

TEST_CASE("40 runs of FlowCC keep every promise and reach what they should") {
  const Swarm swarm = swarm_of();
  const FuzzResult result =
      fuzz(swarm, plan_of(40), scenario_runner(catalogue(), TrialDetail::coverage), coverage_map(swarm.original()));
  for (const auto& failure : result.failures) FAIL_CHECK(failure.index << ": " << description(failure.result));
  CHECK(result.runs == 40);
  CHECK(result.refused < 10);
  const auto count = result.coverage.count();
  // A third of the pairs, half of the races: a bound that only a broken probe can miss.
  CHECK(count.pairs * 3 > count.possible_pairs);
  CHECK(count.race_points * 2 > count.declared_race_points);
  CHECK(count.impossible_pairs == 0);
}

TEST_CASE("races of the switch are never reached where homes own all blocks") {
  const Swarm swarm = swarm_of({"protocol.flowcc.ownership=home"});
  const auto& map = coverage_map(swarm.original());
  const FuzzResult result = fuzz(swarm, plan_of(6), scenario_runner(catalogue(), TrialDetail::coverage), map);
  std::size_t in_switch = 0;
  bool at_home = false;
  for (std::size_t point = map.pairs(); point < map.points(); ++point) {
    if (map.name_of(point).starts_with("switch:")) {
      ++in_switch;
      CHECK_FALSE(result.coverage.reached(point));
    }
    at_home = at_home || (map.name_of(point).starts_with("home agent:") && result.coverage.reached(point));
  }
  CHECK(in_switch > 0);
  CHECK(at_home);
}

TEST_CASE("coverage leaves the run hash alone") {
  const Swarm swarm = swarm_of();
  for (const std::uint64_t index : {1, 2}) {
    const TrialResult with = trial_of(swarm.derive(index), true), without = trial_of(swarm.derive(index), false);
    CHECK(with.hash == without.hash);
    CHECK(with.events == without.events);
    CHECK(!with.coverage.empty());
    CHECK(without.coverage.empty());
  }
}

TEST_CASE("a rack that is cut off for good and keeps retrying is a livelock") {
  const std::vector<std::string> overrides{R"(faults=[{"kind": "down"}])", "run.stall=1000s", "run.time_limit=1000s"};
  const Swarm swarm = swarm_of(overrides);
  const TrialResult result = trial_of(swarm.derive(0), false);
  CHECK(result.failed());
  CHECK(result.shows("livelock"));
}

TEST_CASE("a missing SCOREBOARD is found and shrunk to a file that fails in the same way") {
  const testing::TemporaryFolder folder;
  std::ostringstream out, err;
  const int status = run_command_line({"fuzz", kHarsh, "--set", "protocol.flowcc.scoreboard=false", "--runs", "200",
                                       "--jobs", "2", "--out", folder.path().string(), "--json"},
                                      catalogue(), out, err);
  CAPTURE(err.str());
  REQUIRE(status == exit_failed);
  const JsonValue report = parse_json(out.str(), "report");
  const auto& failures = *report.find("failures")->elements();
  REQUIRE(failures.size() == 1);
  const std::string& oracle = *failures[0].find("oracles")->elements()->front().string();
  const std::string& found = *failures[0].find("file")->string();
  const std::string& shrunk = *report.find("shrunk")->find("file")->string();

  // The replay commands: the derived file, the number of the run, the shrunk file.
  CHECK(run_program("run " + found) == exit_failed);
  const std::string index = std::to_string(*failures[0].find("run")->natural());
  CHECK(run_program("fuzz " + find_scenario_file(kHarsh) + " --set protocol.flowcc.scoreboard=false --only " + index) ==
        exit_failed);
  CHECK(run_program("run " + shrunk) == exit_failed);

  const JsonValue before = read_json_file(found), after = read_json_file(shrunk);
  CHECK(trial_of(after, false).shows(oracle));
  CHECK(read_scenario(after, shrunk, catalogue()).doc.find(oracle) != std::string::npos);
  const auto operations = [](const JsonValue& document) {
    return *document.find("run")->find("measure")->find("operations")->natural();
  };
  CHECK(operations(after) < operations(before));
  // The defect itself is still there.
  CHECK(*after.find("protocol")->find("flowcc")->find("scoreboard")->boolean() == false);
}

TEST_CASE("a template that cannot run is bad input") {
  std::ostringstream out, err;
  const int status = run_command_line(
      {"fuzz", kHarsh, "--set", "workload.threads=64", "--set", "rack.nodes=2", "--runs", "3"}, catalogue(), out, err);
  CHECK(status == exit_bad_input);
  CHECK(err.str().find("cores") != std::string::npos);
}

}  // namespace fuzz_test
