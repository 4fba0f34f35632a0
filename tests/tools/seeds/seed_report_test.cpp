// What runs with several seeds come to, of made-up runs.
#include "tools/seeds/seed_report.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/tools/refusal.hpp"

namespace seed_report_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

SeedRun run(std::uint64_t seed, double throughput, double latency, bool pass = true) {
  return {.seed = seed,
          .values = {{"throughput_mops", throughput}, {"latency_ns.mean", latency}},
          .units = {{"throughput_mops", "Mops"}, {"latency_ns.mean", "ns"}},
          .hash = "hash" + std::to_string(seed),
          .pass = pass,
          .problem = pass ? "" : "oracle at 3 ns: broken"};
}

Scenario scenario() {
  Scenario made_up;
  made_up.name = "made-up";
  made_up.protocol.name = "none";
  return made_up;
}

std::string text_of(const std::vector<SeedRun>& runs, const SeedPlan& plan = {}, bool all = false) {
  return seeds_text(
      scenario(), plan, runs, [](std::uint64_t seed) { return "again " + std::to_string(seed); }, all);
}

}  // namespace

TEST_CASE("metrics over seeds have a mean and an interval, and those that runs lack are of the others") {
  std::vector<SeedRun> runs{run(4, 1, 10), run(5, 2, 20), run(6, 3, 30)};
  runs[0].values["latency_ns.p99"] = 50;
  runs[2].values["latency_ns.p99"] = 70;
  for (SeedRun& one : runs) one.units["latency_ns.p99"] = "ns";
  const auto metrics = metrics_over(runs);
  REQUIRE(metrics.size() == 3);
  CHECK(metrics[0].name == "throughput_mops");
  CHECK(metrics[0].unit == "Mops");
  CHECK(metrics[0].interval.mean == 2);
  CHECK(*metrics[0].interval.half_width == Approx(4.303 / std::sqrt(3.0)).epsilon(0.0002));
  CHECK(metrics[2].name == "latency_ns.p99");
  CHECK(metrics[2].interval.count == 2);
  CHECK(metrics[2].interval.mean == 60);
  CHECK(metrics[2].values == std::vector<std::optional<double>>{50, std::nullopt, 70});
  CHECK_THAT(text_of(runs), Catch::Contains("in 2 of 3 runs"));
}

TEST_CASE("a metric with two names is told once") {
  std::vector<SeedRun> runs{run(1, 1, 10), run(2, 2, 20)};
  for (SeedRun& one : runs) {
    for (const char* name : {"latency.mean", "operations.mega_per_second", "latency.read.mean", "operations",
                             "operations.whole_run", "packets.sent.mega_per_second"}) {
      one.values[name] = 1;
      one.units[name] = "";
    }
  }
  std::vector<std::string> names;
  for (const auto& metric : metrics_over(runs)) names.push_back(metric.name);
  CHECK(names == std::vector<std::string>{"throughput_mops", "latency_ns.mean", "latency.read.mean", "operations"});
}

TEST_CASE("runs that are equal say so, and one run that it has no interval") {
  CHECK_THAT(text_of({run(1, 2, 3), run(2, 2, 3)}),
             Catch::Contains("equal        each metric is the same in all 2 runs") && Catch::Contains("± 0 (equal)"));
  CHECK_THAT(text_of({run(1, 2, 3), run(2, 2, 4)}), !Catch::Contains("each metric is the same"));
  CHECK_THAT(text_of({run(1, 2, 3)}), Catch::Contains("interval     none: one seed") && !Catch::Contains("nan"));
}

TEST_CASE("the verdict is of all runs, and those that failed are named with what repeats them") {
  CHECK_THAT(text_of({run(1, 2, 3), run(2, 2, 3)}), Catch::Contains("verdict      pass, with seeds 1 to 2\n"));
  CHECK_THAT(
      text_of({run(1, 2, 3), run(2, 2, 3, false)}),
      Catch::EndsWith("verdict      FAIL: 1 of 2 runs\n  seed 2: oracle at 3 ns: broken\n    repeat: again 2\n"));
}

TEST_CASE("runs of which none has ended, or none an operation, are told and never NaN") {
  SeedRun crashed;
  crashed.problem = "the run was ended by signal 11";
  CHECK_THAT(text_of({crashed, crashed}), Catch::Contains("none: no run has ended") && !Catch::Contains("nan"));
  SeedRun idle = run(1, 0, 0);
  idle.values.erase("latency_ns.mean");
  CHECK_THAT(text_of({idle, idle}), Catch::Contains("latency      no operations") && !Catch::Contains("nan"));
  CHECK_FALSE(precise_enough({idle, idle}, 0.5));
  CHECK_FALSE(precise_enough({crashed, crashed}, 0.5));
  CHECK(seeds_json(scenario(), {}, {run(1, 2, 3)}, [](std::uint64_t) { return ""; })
            .find("metrics")
            ->find("throughput_mops")
            ->find("half_width")
            ->is_null());
}

TEST_CASE("a precision is reached when throughput and mean latency are both known so well") {
  // Half-widths of 12.706 / sqrt(2) standard deviations of two values: 10 +- 0.1 is 1.27, 12.7 %.
  const std::vector<SeedRun> runs{run(1, 9.9, 100), run(2, 10.1, 100)};
  CHECK(precise_enough(runs, 0.128));
  CHECK_FALSE(precise_enough(runs, 0.126));
  CHECK_FALSE(precise_enough({run(1, 10, 99), run(2, 10, 101)}, 0.126));
  SeedPlan plan{.precision = 0.1};
  CHECK_THAT(text_of(runs, plan), Catch::Contains("precision    not within 10 % with 2 seeds, the most (--most-seeds): "
                                                  "throughput_mops ± 13 %"));
  plan.most = 3;  // interrupted before the third
  CHECK_THAT(text_of(runs, plan),
             Catch::Contains("precision    not yet within 10 % with 2 seeds: throughput_mops ± 13 %"));
  plan.precision = 0.2;
  CHECK_THAT(text_of(runs, plan), Catch::Contains("precision    within 20 % with 2 seeds: throughput_mops ± 13 %"));
}

TEST_CASE("seeds are whole numbers below 2^64") {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  CHECK_NOTHROW(check_seeds(kLast - 4, 5, {"f", "/p"}));
  CHECK_NOTHROW(check_seeds(kLast, 1, {"f", "/p"}));
  CHECK_THAT(refusal([] { check_seeds(kLast - 4, 6, {"f", "/p"}); }), Catch::Contains("seeds below 2^64"));
}

TEST_CASE("all metrics are shown where all are asked for, but for those that are always 0") {
  std::vector<SeedRun> runs{run(1, 1, 10), run(2, 2, 20)};
  for (SeedRun& one : runs) {
    one.values["some.counter"] = static_cast<double>(one.seed);
    one.values["other.counter"] = 0;
    one.units["some.counter"] = one.units["other.counter"] = "packets";
  }
  CHECK_THAT(text_of(runs), !Catch::Contains("some.counter"));
  CHECK_THAT(text_of(runs, {}, true), Catch::Contains("some.counter") && !Catch::Contains("other.counter"));
}

}  // namespace seed_report_test
