// What templates reach: the values of their runs, and of what no run has the reason.
#include "tools/fuzz/reach.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/tools/fuzz/template_plan.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/overrides.hpp"

namespace reach_test {

using namespace racksim;
using namespace racksim::tools;
using racksim::tools::testing::plan_of;
using racksim::tools::testing::run_racksim;
using racksim::tools::testing::template_file;
using racksim::tools::testing::TemporaryFolder;

namespace {

const Catalogue& catalogue() {
  static const Catalogue built_in = built_in_catalogue();
  return built_in;
}

Reach reach_of(const std::vector<std::string>& templates, std::uint64_t runs,
               const std::vector<std::string>& overrides = {}) {
  return measure_reach(templates, overrides, 1, plan_of(runs), catalogue(), [](const auto&) {});
}

const ComponentReach& component(const Reach& reach, const std::string& name) {
  const auto found = std::find_if(reach.components.begin(), reach.components.end(),
                                  [&](const ComponentReach& one) { return one.name == name; });
  REQUIRE(found != reach.components.end());
  return *found;
}

const ParameterReach& parameter(const Reach& reach, const std::string& of, const std::string& name) {
  const auto& all = component(reach, of).parameters;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ParameterReach& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

/// By the value's text.
std::map<std::string, std::uint64_t> reached(const ParameterReach& parameter) {
  std::map<std::string, std::uint64_t> runs;
  for (const ReachedValue& value : parameter.reached) runs[to_canonical_json(value.value)] = value.runs;
  return runs;
}

std::string why_never(const ParameterReach& parameter, const std::string& value) {
  for (const MissedValue& missed : parameter.missed) {
    if (missed.value == value) return missed.why;
  }
  return "";
}

/// A template with what it says of its own draws.
std::string with_guide(const TemporaryFolder& folder, const char* name, const std::string& guide) {
  JsonValue document = read_json_file(template_file(name));
  document.erase("$schema");
  document.set("fuzz", parse_json(guide, "guide"));
  return folder.write("template.json", to_json(document));
}

}  // namespace

TEST_CASE("the values that a template's runs had are those of the scenarios that it derives") {
  constexpr std::uint64_t kRuns = 40;
  const std::vector<std::string> all_fit{"rack.nodes=6", "protocol.sel.line=64B"};  // no run is drawn anew
  const Swarm swarm = load_swarm(template_file("sel.json"), catalogue(), all_fit, 1);
  std::map<std::string, std::uint64_t> threads;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    ++threads[to_canonical_json(*value_at_path(swarm.derive(run), "workload.threads"))];
  }
  const Reach reach = reach_of({template_file("sel.json")}, kRuns, all_fit);
  CHECK(reach.runs == kRuns);
  CHECK(reach.fails == "");
  CHECK(threads.size() > 1);
  CHECK(reached(parameter(reach, "workload micro", "threads")) == threads);
  // What the template does not give, and no run draws, has its default in all.
  CHECK(reached(parameter(reach, "workload micro", "hold")) ==
        std::map<std::string, std::uint64_t>{{"\"0ps\"", kRuns}});
}

TEST_CASE(
    "a value that no run has is told with the reason of its declaration, of the command line or of the template") {
  const TemporaryFolder folder;
  const std::string guided = with_guide(folder, "sel.json", R"({"leave": {"workload.locality": "sel has no cache"}})");
  const Reach reach = reach_of({guided}, 30, {"workload.read_ratio=0.5"});
  CHECK_THAT(why_never(parameter(reach, "protocol sel", "latch"), "false"),
             Catch::Contains("turns a mechanism off: who holds the latch is not alone"));
  CHECK(why_never(parameter(reach, "workload micro", "locality"), "0.9") == "sel has no cache");
  CHECK(why_never(parameter(reach, "workload micro", "read_ratio"), "0.95") == "--set gives another");
  CHECK_THAT(why_never(parameter(reach, "workload micro", "hold"), ""), Catch::Contains("names nothing"));
  CHECK_THAT(why_never(parameter(reach, "workload micro", "mode"), "\"mixed\""), Catch::Contains("safe to vary"));
  CHECK_THAT(component(reach, "fault switch-restart").why_never, Catch::Contains("promises to survive"));
}

TEST_CASE("values that a template draws by itself are reached, and none but they") {
  const TemporaryFolder folder;
  const std::string guided =
      with_guide(folder, "sel.json", R"({"draw": {"workload.hold": ["0s", "3us"], "workload.read_ratio": [0.4]}})");
  const Reach reach = reach_of({guided}, 30);
  const auto holds = reached(parameter(reach, "workload micro", "hold"));
  CHECK(holds.size() == 2);
  CHECK(holds.contains("\"3us\""));
  CHECK(reached(parameter(reach, "workload micro", "read_ratio")).size() <= 2);
  CHECK(why_never(parameter(reach, "workload micro", "read_ratio"), "0.95") == "the template draws from others");
}

TEST_CASE("what one template never has is not told if another has it") {
  const Reach alone = reach_of({template_file("sel.json")}, 20);
  CHECK_FALSE(why_never(parameter(alone, "workload micro", "mode"), "\"lock-and-access\"").empty());
  const Reach together = reach_of({template_file("sel.json"), template_file("sel-locks.json")}, 20);
  CHECK(together.runs == 40);
  CHECK(why_never(parameter(together, "workload micro", "mode"), "\"lock-and-access\"").empty());
  CHECK(reached(parameter(together, "workload micro", "mode")).at("\"lock-and-access\"") == 20);
  CHECK_THROWS_WITH(reach_of({template_file("sel.json"), template_file("nocache.json")}, 1),
                    Catch::Contains("nocache.json: /protocol/name: found \"nocache\""));
}

TEST_CASE("race points and rows are counted by the runs that reach them") {
  const Reach reach = reach_of({template_file("nocache.json")}, 20);
  const auto& map = coverage_map(load_swarm(template_file("nocache.json"), catalogue(), {}, 1).original());
  REQUIRE(reach.runs_reaching.size() == map.race_points.size() + map.rows.size());
  REQUIRE_FALSE(map.rows.empty());
  CHECK(*std::max_element(reach.runs_reaching.begin() + static_cast<std::ptrdiff_t>(map.race_points.size()),
                          reach.runs_reaching.end()) == 20);
}

TEST_CASE("a template that draws what it may not have, or what nobody declares, is refused at its place") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& guide) {
    const auto outcome = run_racksim(folder, "fuzz " + with_guide(folder, "sel.json", guide) + " --runs 1");
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK_THAT(refusal(R"({"draw": {"workload.hold": ["long"]}})"), Catch::Contains("/fuzz/draw/workload.hold"));
  CHECK_THAT(refusal(R"({"draw": {"workload.hold": []}})"), Catch::Contains("at least one value"));
  CHECK_THAT(refusal(R"({"draw": {"workload.held": ["1us"]}})"), Catch::Contains("/fuzz/draw/workload.held"));
  CHECK_THAT(refusal(R"({"leave": {"workload.held": "why"}})"), Catch::Contains("/fuzz/leave/workload.held"));
  CHECK_THAT(refusal(R"({"leave": {"workload.hold": "why"}, "draw": {"workload.hold": ["1us"]}})"),
             Catch::Contains("either of both"));
  CHECK_THAT(refusal(R"({"drew": {}})"), Catch::Contains("/fuzz/drew"));
}

TEST_CASE("racksim fuzz --reach prints values, what is never reached, races and rows, as text and as JSON") {
  const TemporaryFolder folder;
  const std::string command = "fuzz " + template_file("sel.json") + " --reach --runs 20";
  const auto text = run_racksim(folder, command);
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::Contains("protocol sel: 20 runs") &&
                           Catch::Contains("never false: turns a mechanism off: who holds the latch is not alone") &&
                           Catch::Contains("fault switch-restart: never: ") &&
                           Catch::Contains("race points, and the runs that reached each") &&
                           Catch::Contains("verdict      pass"));
  const auto printed = run_racksim(folder, command + " --json --beside " + template_file("sel-locks.json"));
  CHECK(printed.status == 0);
  const JsonValue report = parse_json(printed.out, "report");
  CHECK(report.find("runs")->natural() == 40);
  CHECK(report.find("templates")->elements()->size() == 2);
  CHECK_FALSE(report.find("components")->elements()->empty());
  const auto broken = run_racksim(folder, command + " --set protocol.sel.latch=false");
  CHECK(broken.status == 1);
  CHECK_THAT(broken.out, Catch::Contains("fails        ") && Catch::Contains("verdict      FAIL"));
  CHECK(run_racksim(folder, command + " --strength").status == 2);
}

}  // namespace reach_test
