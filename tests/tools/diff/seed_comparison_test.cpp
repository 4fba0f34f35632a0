// Two systems compared by seeds, of made-up runs.
#include "tools/diff/seed_comparison.hpp"

#include <catch2/catch.hpp>

namespace seed_comparison_test {

using namespace racksim::tools;

namespace {

/// Runs from seed 1 on, of which a metric has these values.
struct Runs {
  std::vector<SeedRun> runs;

  Runs& with(const std::string& metric, const std::vector<double>& values) {
    runs.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      runs[i].seed = i + 1;
      runs[i].hash = "hash";
      runs[i].pass = true;
      runs[i].values[metric] = values[i];
      runs[i].units[metric] = "unit";
    }
    return *this;
  }
};

SeedSide side(const char* given) {
  SeedSide made_up{.given = given, .scenario = {}};
  made_up.scenario.name = "made-up";
  made_up.scenario.protocol.name = "none";
  made_up.command = [](std::uint64_t seed) { return "again " + std::to_string(seed); };
  return made_up;
}

std::string text_of(const SeedComparison& comparison) {
  SeedSide a = side("a.json"), b = side("b.json");
  return seed_comparison_text(a, b, comparison);
}

const ComparedMetric& metric(const SeedComparison& comparison, const std::string& name) {
  for (const ComparedMetric& one : comparison.metrics) {
    if (one.name == name) return one;
  }
  throw std::runtime_error(name);
}

}  // namespace

TEST_CASE("a difference that every pair shows is told although the seeds spread wider than it") {
  const auto comparison = compare_seed_runs(Runs().with("throughput_mops", {10, 20, 30, 40, 50}).runs,
                                            Runs().with("throughput_mops", {11, 21.1, 31, 40.9, 51}).runs, false);
  const ComparedMetric& found = metric(comparison, "throughput_mops");
  CHECK(found.a.mean == 30);
  CHECK(found.b.mean == Approx(31));
  CHECK(found.pairs.difference.mean == Approx(1));
  CHECK(found.differs());
  CHECK(comparison.compared() == 1);
  CHECK(comparison.differing() == 1);
  CHECK_THAT(text_of(comparison), Catch::Contains("differs, p ") && Catch::Contains("1 of 1 metrics differ"));
}

TEST_CASE("metrics are judged together by Holm's correction") {
  // t = 4.243 of four degrees of freedom: p = 0.0132, enough for one metric and not for four.
  const std::vector<double> zeros(5, 0.0), near{1, 2, 3, 4, 5}, noise{1, -1, 2, -2, 0.1};
  const auto alone =
      compare_seed_runs(Runs().with("throughput_mops", zeros).runs, Runs().with("throughput_mops", near).runs, false);
  CHECK(*metric(alone, "throughput_mops").corrected == Approx(0.01324).margin(0.00001));
  CHECK(alone.differing() == 1);
  Runs a, b;
  for (const char* name : {"throughput_mops", "latency_ns.mean", "latency_ns.p50", "latency_ns.p99"}) {
    a.with(name, zeros);
    b.with(name, name == std::string("throughput_mops") ? near : noise);
  }
  const auto four = compare_seed_runs(a.runs, b.runs, false);
  CHECK(*metric(four, "throughput_mops").corrected == Approx(4 * 0.01324).margin(0.0001));
  CHECK(four.compared() == 4);
  CHECK(four.differing() == 0);
  CHECK_THAT(text_of(four),
             Catch::Contains("not told, p ") && Catch::Contains("no difference can be told with 5 seeds"));
}

TEST_CASE("metrics that nobody asked for are judged only where all are") {
  Runs a, b;
  a.with("throughput_mops", {1, 2, 3}).with("some.counter", {5, 6, 7}).with("constant", {4, 4, 4});
  b.with("throughput_mops", {1, 2, 4}).with("some.counter", {6, 7, 8.5}).with("constant", {4, 4, 4});
  CHECK(compare_seed_runs(a.runs, b.runs, false).metrics.size() == 1);
  const auto all = compare_seed_runs(a.runs, b.runs, true);
  CHECK(all.metrics.size() == 3);
  CHECK(all.compared() == 2);  // one that never changes shows nothing
  CHECK_THAT(text_of(all), Catch::Contains("some.counter") && !Catch::Contains("constant"));
}

TEST_CASE("runs that are equal say so") {
  const auto runs = Runs().with("throughput_mops", {1, 2, 3}).runs;
  const auto equal = compare_seed_runs(runs, runs, false);
  CHECK(equal.equal());
  CHECK(equal.differing() == 0);
  CHECK_THAT(text_of(equal),
             Catch::Contains("equal: every metric is the same with 3 seeds") && Catch::Contains(" equal\n"));
  CHECK_FALSE(compare_seed_runs(runs, Runs().with("throughput_mops", {1, 2, 3.5}).runs, false).equal());
}

TEST_CASE("pairs that all differ by the same have an interval of no width, and differ") {
  const auto shifted = compare_seed_runs(Runs().with("throughput_mops", {1, 2, 3}).runs,
                                         Runs().with("throughput_mops", {2, 3, 4}).runs, false);
  CHECK(metric(shifted, "throughput_mops").differs());
  CHECK_THAT(text_of(shifted), Catch::Contains("1 ± 0 (equal)") && Catch::Contains("1 of 1 metrics differ"));
}

TEST_CASE("one seed tells no difference, and what a side lacks is told") {
  const auto one =
      compare_seed_runs(Runs().with("throughput_mops", {1}).runs, Runs().with("throughput_mops", {2}).runs, false);
  CHECK(one.compared() == 0);
  CHECK_THAT(text_of(one), Catch::Contains("one pair") && Catch::Contains("no difference can be told with 1 seed\n") &&
                               !Catch::Contains("nan"));
  auto crashed = Runs().with("throughput_mops", {1, 2, 3}).runs;
  crashed[1] = SeedRun{};
  crashed[1].seed = 2;
  crashed[1].problem = "the run was ended by signal 11";
  const auto fewer = compare_seed_runs(crashed, Runs().with("throughput_mops", {2, 3, 4.5}).runs, false);
  CHECK_FALSE(fewer.equal());
  CHECK_THAT(text_of(fewer), Catch::Contains("in 2 of 3 pairs") && Catch::Contains("1 of 3 FAIL") &&
                                 Catch::Contains("repeat: again 2"));
  const auto none = compare_seed_runs({crashed[1]}, {crashed[1]}, false);
  CHECK_FALSE(none.equal());
  CHECK_THAT(text_of(none), Catch::Contains("no pair of runs has a metric to compare"));
}

}  // namespace seed_comparison_test
