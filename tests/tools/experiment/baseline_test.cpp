// Stored baselines are read, refused, and held against a run.
#include "tools/experiment/baseline.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/files/data_files.hpp"

namespace baseline_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const std::string kHash(32, 'a'), kOther(32, 'b');

Scenario scenario_with(ExpectedBaseline baseline, std::optional<bool> pass = {}) {
  Scenario scenario;
  scenario.expect.baseline = std::move(baseline);
  scenario.expect.pass = pass;
  return scenario;
}

const Scenario kExact = scenario_with({ExpectedBaseline::Comparison::exact, {}});
const Scenario kWithin = scenario_with({ExpectedBaseline::Comparison::metrics, {{"x", 10, true}, {"y", 1, false}}});

}  // namespace

TEST_CASE("a scenario that says nothing is compared by throughput and latency unless it is expected to fail") {
  CHECK(tolerances_of(scenario_with({})).size() == 2);
  CHECK(tolerances_of(scenario_with({}, true)).size() == 2);
  CHECK(tolerances_of(scenario_with({}, false)).empty());
  CHECK(tolerances_of(scenario_with({ExpectedBaseline::Comparison::none, {}})).empty());
  CHECK(tolerances_of(kWithin).size() == 2);
}

TEST_CASE("metrics must stay within their tolerances of what is stored") {
  const Baseline stored{"", {{"x", 200}, {"y", 5}}};
  CHECK(compare(kWithin, stored, {"", {{"x", 220}, {"y", 4}}}).failures.empty());
  const auto off = compare(kWithin, stored, {"", {{"x", 150}, {"y", 7}}});
  REQUIRE(off.failures.size() == 2);
  CHECK(off.failures[0] == "x is 150, baseline 200: -25.0 %, allowed 10%");
  CHECK(off.failures[1] == "y is 7, baseline 5: +40.0 %, allowed 1");
  CHECK_FALSE(off.comparisons[0].met);
}

TEST_CASE("what is not stored or not reported fails with what to do about it") {
  CHECK(compare(kWithin, std::nullopt, {}).failures ==
        std::vector<std::string>{"no baseline is stored: run with --bless"});
  CHECK(compare(kWithin, Baseline{"", {{"x", 1}}}, {"", {{"x", 1}, {"y", 2}}}).failures ==
        std::vector<std::string>{"no baseline of y is stored: run with --bless"});
  CHECK(compare(kWithin, Baseline{"", {{"x", 1}, {"y", 2}}}, {"", {{"x", 1}}}).failures ==
        std::vector<std::string>{"the run reports no metric y"});
  CHECK(compare(kExact, Baseline{"", {}}, {kHash, {}}).failures ==
        std::vector<std::string>{"no baseline of the run hash is stored: run with --bless"});
  CHECK(compare(scenario_with({ExpectedBaseline::Comparison::none, {}}), std::nullopt, {}).failures.empty());
}

TEST_CASE("an exact baseline is the run hash alone") {
  CHECK(compare(kExact, Baseline{kHash, {{"throughput_mops", 1}}}, {kHash, {{"throughput_mops", 2}}}).failures.empty());
  CHECK(compare(kExact, Baseline{kHash, {}}, {kOther, {}}).failures ==
        std::vector<std::string>{"the run hash is " + kOther + ", baseline " + kHash});
}

TEST_CASE("a baseline file is read back as it was written and refused where it is wrong") {
  const TemporaryFolder folder;
  const Baseline baseline{kHash, {{"latency_ns.mean", 5114.25}, {"operations", 3}}};
  const auto file = folder.write("baselines/a.json", to_json(baseline_json(baseline)));
  CHECK(baseline_file(folder.path() / "a.json") == file);
  CHECK(load_baseline(file) == baseline);
  CHECK(load_baseline((folder.path() / "baselines/b.json").string()) == std::nullopt);
  const auto refuse = [&](const std::string& text) {
    const auto bad = folder.write("baselines/bad.json", text);
    return refusal([&] { load_baseline(bad); }).substr(bad.size());
  };
  CHECK_THAT(refuse(R"({"run_hash": "xyz"})"), Catch::StartsWith(": /run_hash: found"));
  CHECK_THAT(refuse(R"({"metrics": {"a": "1"}})"), Catch::StartsWith(": /metrics/a: found the string"));
  CHECK_THAT(refuse(R"({"metric": {}})"), Catch::Contains("did you mean \"metrics\"?"));
}

TEST_CASE(
    "a baseline that is written among the scenarios that come with the program names its schema, and may be read") {
  const TemporaryFolder folder;
  const auto plain = baseline_json({kHash, {}});
  const auto among = (scenarios_folder() / "regress/flowcc/baselines/a.json").string();
  const auto named = with_schema(plain, "baseline", among);
  CHECK(*named.find("$schema")->string() == "../../../schema/baseline.json");
  CHECK(load_baseline(folder.write("a.json", to_json(named))) == Baseline{kHash, {}});
  CHECK(with_schema(plain, "baseline", (folder.path() / "a.json").string()) == plain);
  const auto wrong = folder.write("b.json", R"({"$schema": 3, "metrics": {}})");
  CHECK(refusal([&] { load_baseline(wrong); }) == wrong + ": /$schema: found the number 3, expected a string");
}

}  // namespace baseline_test
