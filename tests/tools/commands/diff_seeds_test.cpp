// `racksim diff --seeds` as a person runs it.
#include <catch2/catch.hpp>

#include "tests/tools/small_scenario.hpp"
#include "tools/json/json_document.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace diff_seeds_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

struct Small : SmallScenario {
  Outcome run(const std::string& arguments) const { return call(arguments); }
};

}  // namespace

TEST_CASE("a scenario compared with itself by seeds is equal, in whatever mode it is executed") {
  const Small small;
  const auto outcome = small.run("diff small.json small.json --set-b run.execution=stepped --seeds 3");
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("the runs are equal: every metric is the same with 3 seeds"));
}

TEST_CASE("sides are run with the same seeds, and their differences are paired") {
  const Small small;
  const auto outcome =
      small.run("diff small.json small.json --set-b workload.read_ratio=0.99 --set-b seed=99 --seeds 4 --json");
  CHECK(outcome.status == 1);
  const JsonValue report = parse_json(outcome.out, "report");
  std::vector<double> differences;
  for (const char* seed : {"7", "8", "9", "10"}) {
    const auto throughput = [&](const std::string& more) {
      const auto alone = parse_json(small.run("run small.json --json --seed " + std::string(seed) + more).out, "run");
      return *alone.find("metrics")->find("throughput_mops")->number();
    };
    differences.push_back(throughput(" --set workload.read_ratio=0.99") - throughput(""));
  }
  const auto expected = mean_interval(differences);
  const JsonValue& metric = report.find("metrics")->elements()->front();
  CHECK(*metric.find("metric")->string() == "throughput_mops");
  CHECK(*metric.find("difference")->find("mean")->number() == Approx(expected->mean));
  CHECK(*metric.find("difference")->find("half_width")->number() == Approx(*expected->half_width));
  CHECK(*metric.find("pairs")->natural() == 4);
  CHECK(report.find("differing")->natural().value() > 0);
  const JsonValue& parameter = report.find("parameters")->elements()->front();
  CHECK(report.find("parameters")->elements()->size() == 1);
  CHECK(*parameter.find("parameter")->string() == "workload.read_ratio");
}

TEST_CASE("a run's folder is run again with each seed") {
  const Small small;
  REQUIRE(small.run("run small.json --quiet --out kept").status == 0);
  const auto outcome = small.run("diff kept small.json --seeds 2");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("the runs are equal"));
}

TEST_CASE("a failing side fails the comparison and is named") {
  const Small small;
  const auto outcome =
      small.run(R"(diff small.json small.json --seeds 2 --set-b 'expect={"throughput_mops":{"min":1000}}')");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("2 of 2 FAIL") && Catch::Contains("repeat: racksim run small.json --seed 8"));
}

TEST_CASE("comparisons by seeds that make no sense are refused, and nothing runs") {
  const Small small;
  for (const char* wrong : {"--seeds 0", "--jobs 2", "--seeds 2 --program-b racksim",
                            "--seeds 2 --set-a run.measur=1ms", "--seeds 2 --set-a seed=18446744073709551615"}) {
    CAPTURE(wrong);
    const auto outcome = small.run(std::string("diff small.json small.json ") + wrong);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
  }
  CHECK(small.run("diff small.json missing.json --seeds 2").status == 2);
}

}  // namespace diff_seeds_test
