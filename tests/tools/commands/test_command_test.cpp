// racksim test as a person runs it.
#include <catch2/catch.hpp>

#include "tests/tools/run_racksim.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/json_document.hpp"
#include "tools/suite/suite.hpp"

namespace test_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// A run of a few milliseconds.
JsonValue small_scenario(JsonValue expect) {
  auto scenario = parse_json(R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2}, "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 200}}, "check": {"all": true}})",
                             "small");
  if (!expect.is_null()) scenario.set("expect", std::move(expect));
  return scenario;
}

struct Suite {
  TemporaryFolder folder;

  void add(const std::string& name, const std::string& expect) const {
    folder.write("suite/" + name + ".json", to_json(small_scenario(parse_json(expect, "expect"))));
  }
  Outcome run(const std::string& options = "") const { return run_racksim(folder, "test suite " + options); }
  std::filesystem::path baseline(const std::string& name) const {
    return folder.path() / "suite/baselines" / (name + ".json");
  }
};

}  // namespace

TEST_CASE("a suite without baselines fails and says what to do, and once blessed it passes") {
  const Suite suite;
  suite.add("exact", R"({"baseline": "exact"})");
  suite.add("usual", "{}");
  const auto missing = suite.run();
  CHECK(missing.status == 1);
  CHECK_THAT(missing.out,
             Catch::Contains("no baseline is stored: run with --bless") && Catch::Contains("0 of 2 passed"));
  const auto blessed = suite.run("--bless");
  CHECK(blessed.status == 0);
  CHECK_THAT(blessed.out, Catch::Contains("new: exact: run hash (new)") && Catch::Contains("new: usual: "));
  const auto passed = suite.run("--jobs 2 --junit results/junit.xml");
  CHECK(passed.status == 0);
  CHECK_THAT(passed.out, Catch::Contains("run hash equal") && Catch::Contains("2 of 2 passed"));
  CHECK_THAT(content(suite.folder.path() / "results/junit.xml"),
             Catch::Contains("tests=\"2\" failures=\"0\" errors=\"0\""));
  // Nothing has changed, so nothing is renewed.
  CHECK_THAT(suite.run("--bless").out, !Catch::Contains("renewed"));
}

TEST_CASE("with --modes every scenario is run in all execution modes, whichever is its own") {
  const Suite suite;
  suite.add("fused", R"({"baseline": "none"})");
  auto stepped = small_scenario(parse_json(R"({"baseline": "none"})", "expect"));
  stepped.set("run", parse_json(R"({"measure": {"operations": 200}, "execution": "stepped"})", "run"));
  suite.folder.write("suite/stepped.json", to_json(stepped));
  const auto report = parse_json(suite.run("--modes --json").out, "report");
  CHECK(*report.find("verdict")->string() == "pass");
  for (const auto& row : *report.find("scenarios")->elements()) CHECK(row.find("modes")->natural() == 4);
  CHECK_THAT(suite.run("--modes").out, Catch::Contains("nothing compared; the same in 4 modes"));
  CHECK(
      *parse_json(suite.run("--json").out, "report").find("scenarios")->elements()->front().find("modes")->natural() ==
      1);
}

TEST_CASE("a metric that has moved beyond its tolerance fails with the change in per cent until it is blessed") {
  const Suite suite;
  suite.add("moved", R"({"baseline": {"operations": "2%"}})");
  suite.run("--bless");
  suite.folder.write("suite/baselines/moved.json", R"({"metrics": {"operations": 160}})");
  const auto failed = suite.run("--json");
  CHECK(failed.status == 1);
  const auto report = parse_json(failed.out, "report");
  CHECK(*report.find("verdict")->string() == "fail");
  const auto& row = report.find("scenarios")->elements()->front();
  // 200 operations are measured and the ones under way when the 200th ends count too: at least 25 per cent more.
  CHECK_THAT(*row.find("failures")->elements()->front().string(), Catch::StartsWith("operations is 20") &&
                                                                      Catch::Contains("baseline 160: +2") &&
                                                                      Catch::Contains("allowed 2%"));
  CHECK_THAT(suite.run("--bless").out, Catch::Contains("renewed: moved: operations 160 -> 20"));
  CHECK(suite.run("--quiet").status == 0);
}

TEST_CASE("runs that fail are not blessed") {
  const Suite suite;
  suite.add("broken", R"({"operations": {"min": 1e9}, "baseline": "exact"})");
  const auto blessed = suite.run("--bless");
  CHECK(blessed.status == 1);
  CHECK_THAT(blessed.out, Catch::Contains("not renewed: broken, which fails"));
  CHECK_FALSE(std::filesystem::exists(suite.baseline("broken")));
}

TEST_CASE("a violation that was expected and does not come is a failure") {
  const Suite suite;
  suite.add("harmless", R"({"violation": "single-writer"})");
  const auto outcome = suite.run();
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("no violation of single-writer") &&
                              Catch::Contains("the oracles' verdict is pass, expected fail"));
}

TEST_CASE("a stale baseline is reported and removed by blessing") {
  const Suite suite;
  suite.add("kept", "{}");
  suite.folder.write("suite/baselines/gone.json", "{}");
  CHECK_THAT(suite.run().err, Catch::Contains("gone.json: a baseline whose scenario is gone"));
  CHECK_THAT(suite.run("--bless").out, Catch::Contains("gone.json, whose scenario is gone"));
  CHECK_FALSE(std::filesystem::exists(suite.baseline("gone")));
  CHECK(suite.run().err.empty());
}

TEST_CASE("a run that does not end in time fails alone") {
  const Suite suite;
  suite.add("fine", R"({"baseline": "none"})");
  auto endless = small_scenario(JsonValue());
  endless.set("run", parse_json(R"({"measure": "900s", "time_limit": "1000s"})", "run"));
  suite.folder.write("suite/endless.json", to_json(endless));
  const auto outcome = suite.run("--limit 2 --jobs 2 --junit junit.xml");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("wall-clock limit") && Catch::Contains("1 of 2 passed"));
  CHECK_THAT(content(suite.folder.path() / "junit.xml"), Catch::Contains("failures=\"0\" errors=\"1\""));
}

TEST_CASE("bad scenarios are all named before anything runs") {
  const Suite suite;
  suite.add("good", "{}");
  suite.add("one", R"({"baseline": "exakt"})");
  suite.add("two", R"({"verdict": "maybe"})");
  suite.add("three", R"({"throughput_mop": {"min": 1}})");
  suite.add("four", R"({"baseline": {"latency_ns.p9": 0.1}})");
  const auto outcome = suite.run("--bless --junit junit.xml");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err,
             Catch::Contains("one.json: /expect/baseline") && Catch::Contains("two.json: /expect/verdict") &&
                 Catch::Contains("three.json: /expect/throughput_mop: found the unknown metric \"throughput_mop\"") &&
                 Catch::Contains("four.json: /expect/baseline/latency_ns.p9: found the unknown metric"));
  CHECK_FALSE(std::filesystem::exists(suite.folder.path() / "junit.xml"));
  CHECK_FALSE(std::filesystem::exists(suite.baseline("good")));
}

TEST_CASE("every scenario of the regression suite that is compared has a baseline and none is stale") {
  const auto files = find_suite({(scenarios_folder() / "regress").string()});
  CHECK(files.stale_baselines.empty());
  for (const auto& entry : files.scenarios) {
    INFO(entry.file);
    const auto loaded = load_suite_scenario(entry, built_in_catalogue());
    CHECK(loaded.stored.has_value() == !baseline_metrics(loaded.scenario).empty());
  }
}

TEST_CASE("fused and stepped execution are held to the same run hash") {
  const auto folder = scenarios_folder() / "regress" / "flowcc" / kBaselineFolder / "shipped";
  const auto fused = load_baseline((folder / "fused.json").string());
  REQUIRE(fused);
  CHECK(fused->run_hash == load_baseline((folder / "stepped.json").string())->run_hash);
}

}  // namespace test_command_test
