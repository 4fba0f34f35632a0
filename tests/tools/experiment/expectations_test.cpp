#include "tools/experiment/expectations.hpp"

#include <catch2/catch.hpp>

#include "tools/json/input_error.hpp"

namespace expectations_test {

using namespace racksim;
using namespace racksim::tools;
using Catch::Matchers::Contains;

namespace {

/// A run of 5,000 operations in 1 ms, which is 5 Mops, that lost three packets.
struct Judged {
  Judged() {
    auto& dropped = metrics.trouble("packets.dropped", "packets", "Lost.");
    auto& operations = metrics.counter("operations", "operations", "Ended.");
    metrics.open_window({});
    dropped.value = 3;
    operations.value = 5'000;
    metrics.close_window(sim::Time::from_ps(1'000'000'000));
    dropped.value = 4;
  }
  void expect(MetricBounds bounds) {
    scenario.file = "f";
    scenario.expect.metrics = {std::move(bounds)};
    check_expected_metrics(scenario, metrics);
    judge_expectations(scenario, metrics, result);
  }
  Scenario scenario;
  sim::Metrics metrics;
  RunResult result;
};

}  // namespace

TEST_CASE("a metric within its bounds passes and one outside fails the run with both numbers") {
  Judged within, outside, equal;
  within.expect({"throughput_mops", 5, 5, {}});
  CHECK(within.result.pass);
  outside.expect({"throughput_mops", 6, {}, {}});
  CHECK_FALSE(outside.result.pass);
  CHECK(outside.result.failed_expectations == std::vector<std::string>{"throughput_mops is 5, expected >= 6"});
  equal.expect({"packets.dropped", {}, {}, 4});
  CHECK(equal.result.failed_expectations == std::vector<std::string>{"packets.dropped is 3, expected = 4"});
  Judged whole_run;
  whole_run.expect({"packets.dropped.whole_run", {}, {}, 4});
  CHECK(whole_run.result.pass);
}

TEST_CASE("a metric that the run does not report is bad input with the nearest name") {
  Judged judged;
  CHECK_THROWS_WITH(judged.expect({"packets.droped", 1, {}, {}}),
                    Contains("f: /expect/packets.droped") && Contains("packets.dropped"));
  CHECK_THROWS_AS(judged.expect({"zebra", 1, {}, {}}), InputError);
  judged.scenario.expect.metrics.clear();
  judged.scenario.expect.baseline = {ExpectedBaseline::Comparison::metrics, {{"packets.droped", 1, true}}};
  CHECK_THROWS_WITH(check_expected_metrics(judged.scenario, judged.metrics),
                    Contains("f: /expect/baseline/packets.droped") && Contains("packets.dropped"));
}

TEST_CASE("a run that is expected to fail passes only if it fails in the expected way") {
  Judged sound, found, other;
  for (Judged* judged : {&sound, &found, &other}) {
    judged->scenario.expect.pass = false;
    judged->scenario.expect.violation = "leaked-lock";
  }
  judge_expectations(sound.scenario, sound.metrics, sound.result);
  CHECK_FALSE(sound.result.pass);
  CHECK(sound.result.failed_expectations.size() == 2);
  for (Judged* judged : {&found, &other}) judged->result.pass = false;
  found.result.violations.push_back({"leaked-lock", {}, "LOCK1[0]", {}});
  other.result.violations.push_back({"stall", {}, "nothing ends", {}});
  judge_expectations(found.scenario, found.metrics, found.result);
  CHECK(found.result.pass);
  judge_expectations(other.scenario, other.metrics, other.result);
  CHECK_FALSE(other.result.pass);
  CHECK(other.result.failed_expectations == std::vector<std::string>{"no violation of leaked-lock"});
}

}  // namespace expectations_test
