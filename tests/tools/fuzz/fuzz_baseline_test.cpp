// The race points that fuzzing a template reaches, stored and compared.
#include "tools/fuzz/fuzz_baseline.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "models/service/protocol.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/experiment/baseline.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/suite/suite.hpp"

namespace fuzz_baseline_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

sim::CoverageMap three_races() {
  sim::CoverageMap map;
  map.states = {"idle", "busy"};
  map.messages = {"hello"};
  map.race_points = {"first", "second", "third"};
  return map;
}

FuzzResult campaign(const sim::CoverageMap& map, std::vector<std::uint64_t> runs_reaching) {
  FuzzResult result(map);
  result.runs_reaching = std::move(runs_reaching);
  return result;
}

std::string contended_template() {
  JsonValue scenario = Composition(find_scenario_file("regress/flowcc/shipped.json/harsh")).document();
  scenario.erase("$schema");
  scenario.erase("expect");
  return to_json(scenario);
}

}  // namespace

TEST_CASE("a campaign counts in how many of its runs each race point was reached") {
  const sim::CoverageMap map = three_races();
  const Catalogue catalogue = built_in_catalogue();
  const Swarm swarm = load_swarm("regress/flowcc/shipped.json/harsh", catalogue, {}, 1);
  FuzzPlan plan;
  plan.runs = 6;
  std::vector<std::string> names;
  for (std::uint64_t run = 0; run < 6; ++run) names.push_back(*swarm.derive(run).find("name")->string());
  // Every run reaches the first, every second run the third as well.
  const FuzzResult result = fuzz(
      swarm, plan,
      [&](const JsonValue& document) {
        const auto run = std::find(names.begin(), names.end(), *document.find("name")->string()) - names.begin();
        sim::Coverage coverage(map);
        coverage.race(0);
        if (run % 2 == 0) coverage.race(2);
        TrialResult trial;
        trial.coverage = coverage.text();
        return trial;
      },
      map);
  CHECK(result.runs_reaching == std::vector<std::uint64_t>{6, 0, 3});
}

TEST_CASE("a baseline holds what every campaign reaches often, and a campaign that reaches it once keeps it") {
  const sim::CoverageMap map = three_races();
  const FuzzBaseline baseline =
      common_baseline(400, {campaign(map, {90, 8, 30}), campaign(map, {80, 9, 7}), campaign(map, {85, 20, 400})});
  CHECK(baseline == FuzzBaseline{400, {"first", "second"}});
  CHECK(lost_race_points(baseline, campaign(map, {70, 1, 0})).empty());
  CHECK(lost_race_points(baseline, campaign(map, {70, 0, 5})) == std::vector<std::string>{"second"});
  sim::CoverageMap fewer = three_races();
  fewer.race_points.erase(fewer.race_points.begin());
  CHECK(lost_race_points(baseline, campaign(fewer, {5, 5})) ==
        std::vector<std::string>{"first (not declared any more)"});
}

TEST_CASE("a baseline reads back as it was written, and bad ones are refused by place") {
  const TemporaryFolder folder;
  const FuzzBaseline baseline{300, {"one", "two"}};
  const std::string file = folder.write("b.json", to_json(fuzz_baseline_json(baseline)));
  CHECK(load_fuzz_baseline(file) == baseline);
  CHECK(load_fuzz_baseline(folder.path() / "none.json") == std::nullopt);
  const auto refused = [&](const char* text) {
    const std::string bad = folder.write("bad.json", text);
    return refusal([&] { load_fuzz_baseline(bad); });
  };
  CHECK_THAT(refused(R"({"race_points": []})"), Catch::Contains("/runs: found nothing"));
  CHECK_THAT(refused(R"({"runs": 0, "race_points": []})"), Catch::Contains("/runs: found the number 0"));
  CHECK_THAT(refused(R"({"runs": 1, "race_points": [3]})"), Catch::Contains("/race_points/0: found the number 3"));
  CHECK_THAT(refused(R"({"runs": 1})"), Catch::Contains("/race_points: found nothing"));
  CHECK_THAT(refused(R"({"runs": 1, "race_points": [], "pairs": []})"), Catch::Contains("/pairs"));
}

TEST_CASE("a race point that is not reached any more fails the campaign by name until the baseline is blessed") {
  const TemporaryFolder folder;
  folder.write("t.json", contended_template());
  const auto missing = run_racksim(folder, "fuzz t.json --baseline");
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, Catch::Contains("baselines/t.json") && Catch::Contains("run with --bless"));

  const auto blessed = run_racksim(folder, "fuzz t.json --bless --runs 24");
  CHECK(blessed.status == 0);
  const std::string file = (folder.path() / "baselines/t.json").string();
  auto baseline = load_fuzz_baseline(file);
  REQUIRE(baseline);
  CHECK(baseline->runs == 24);
  CHECK(baseline->race_points.size() > 5);
  const auto kept = run_racksim(folder, "fuzz t.json --baseline --seed 9");
  CHECK(kept.status == 0);
  CHECK_THAT(kept.out, Catch::Contains("\nruns         24 in ") && Catch::EndsWith("verdict      pass\n"));

  // Each node's threads share no block any more: that two of them miss on one at once is out of reach.
  const std::string merged = "requester: a miss on a block of which a sibling thread's miss is under way";
  REQUIRE(std::count(baseline->race_points.begin(), baseline->race_points.end(), merged) == 1);
  JsonValue lonely = parse_json(contended_template(), "template");
  lonely.set_dotted("workload.threads", 1);
  folder.write("t.json", to_json(lonely));
  const auto lost = run_racksim(folder, "fuzz t.json --baseline");
  CHECK(lost.status == 1);
  CHECK_THAT(lost.out, Catch::Contains("  LOST, of the baseline: " + merged + "\n") &&
                           Catch::Contains("failures     0\n") && Catch::EndsWith("verdict      FAIL\n"));
  const auto json = parse_json(run_racksim(folder, "fuzz t.json --baseline --json").out, "report");
  CHECK(*json.find("verdict")->string() == "fail");
  const auto& points = *json.find("lost_race_points")->elements();
  CHECK(std::count(points.begin(), points.end(), JsonValue(merged)) == 1);
  CHECK_THAT(run_racksim(folder, "fuzz t.json --bless").out, Catch::Contains("gone ") && Catch::Contains(merged));
  CHECK(run_racksim(folder, "fuzz t.json --baseline").status == 0);
}

TEST_CASE("a baseline is compared with whole campaigns of the template as it is") {
  const TemporaryFolder folder;
  folder.write("t.json", contended_template());
  folder.write("baselines/t.json", R"({"runs": 24, "race_points": []})");
  for (const char* options : {"--baseline --set rack.nodes=2", "--baseline --only 3", "--bless --time 1s"}) {
    const auto refused = run_racksim(folder, std::string("fuzz t.json ") + options);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("together with"));
  }
  CHECK_THAT(run_racksim(folder, "fuzz t.json --baseline --runs 23").err, Catch::Contains("at least the 24 runs"));
}

TEST_CASE("every fuzz template whose protocol declares race points has a baseline that names only those") {
  std::map<std::string, std::set<std::string>> declared_of, reached_of;  // by protocol
  for (const auto& entry : find_suite({(scenarios_folder() / "fuzz").string()}).scenarios) {
    INFO(entry.file);
    const auto& declared = coverage_map(load_scenario(entry.file, built_in_catalogue())).race_points;
    const auto baseline = load_fuzz_baseline(baseline_file(entry.file).string());
    CHECK(baseline.has_value() == !declared.empty());
    if (!baseline) continue;
    CHECK(!baseline->race_points.empty());
    const std::string protocol = load_scenario(entry.file, built_in_catalogue()).protocol.name;
    declared_of[protocol].insert(declared.begin(), declared.end());
    reached_of[protocol].insert(baseline->race_points.begin(), baseline->race_points.end());
    for (const auto& point : baseline->race_points) {
      INFO(point);
      CHECK(std::find(declared.begin(), declared.end(), point) != declared.end());
    }
  }
  // A bound that only a broken probe, or templates gone astray, can miss. One template alone may be about one thing.
  for (const auto& [protocol, declared] : declared_of) {
    INFO(protocol);
    CHECK(reached_of[protocol].size() * 2 > declared.size());
  }
}

}  // namespace fuzz_baseline_test
