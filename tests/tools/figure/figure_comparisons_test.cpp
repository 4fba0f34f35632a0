// A figure's series compared, of made-up results, and as a person asks for it.
#include "tools/figure/figure_comparisons.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/tools/run_racksim.hpp"

namespace figure_comparisons_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

/// A figure at one x of so many series, each with these values by seed.
struct Series {
  Figure figure;
  std::vector<PointResult> results;
  explicit Series(const std::vector<std::vector<double>>& values) {
    figure.sweep_label = "load";
    figure.axes = {{{4, "4"}}, {}, {"delay"}};
    figure.metric_names = {"latency.mean"};
    figure.metric_units = {"ns"};
    for (std::size_t s = 0; s < values.size(); ++s) {
      figure.axes.series.push_back(std::string(1, static_cast<char>('A' + s)));
      for (std::size_t seed = 0; seed < values[s].size(); ++seed) {
        if (s == 0) figure.repeats.seeds.push_back(seed + 1);
        auto& point = figure.points.emplace_back();
        point.series = s;
        point.repeat = seed;
        auto& result = results.emplace_back();
        result.values = {values[s][seed]};
        result.hash = "h";
      }
    }
  }
  std::vector<SeriesComparison> compared() const { return compare_series(figure, results); }
};

/// With two degrees of freedom the two-sided probability of t is 1 - t / sqrt(2 + t²).
double probability(double t) {
  return 1 - t / std::sqrt(2 + t * t);
}

}  // namespace

TEST_CASE("each series is compared with the first, pair by pair, and all at a point together") {
  const Series three({{10, 20, 30}, {13, 24, 35}, {10, 21, 32}});
  const auto compared = three.compared();
  REQUIRE(compared.size() == 2);
  // Differences of 3, 4 and 5, and of 0, 1 and 2: standard error 1 / sqrt(3), and t is 4.303 in the table.
  CHECK(compared[0].series == 1);
  CHECK(compared[0].pairs.difference.mean == Approx(4));
  CHECK(*compared[0].pairs.difference.half_width == Approx(4.303 / std::sqrt(3)).epsilon(1e-3));
  CHECK(*compared[0].corrected == Approx(2 * probability(4 * std::sqrt(3))));
  CHECK(compared[0].differs());
  CHECK(*compared[1].corrected == Approx(probability(std::sqrt(3))));
  CHECK_FALSE(compared[1].differs());
  CHECK(comparisons_csv(three.figure, compared)
            .starts_with("metric,unit,load,series,against,mean,mean_against,difference,half_width,pairs,probability,"
                         "corrected,differs\ndelay,ns,4,B,A,24,20,4,2.48"));
  CHECK_THAT(comparisons_csv(three.figure, compared), Contains("\ndelay,ns,4,C,A,21,20,1,") && Contains(",no\n"));
  const std::string text = comparisons_text(three.figure, compared);
  CHECK_THAT(text,
             Contains("against A, paired by seed; series at a point are judged together (Holm's correction, 5 %)") &&
                 Contains("\ndelay (ns)\n  load  series  A     own   difference ± 95 %  change   judged\n") &&
                 Contains("4.0 ± 2.5") && Contains("+20.0 %") && Contains("differs, p 0.04") &&
                 Contains("not told, p 0.23"));
  const JsonValue json = comparisons_json(three.figure, compared);
  CHECK(*json.elements()->front().find("against")->string() == "A");
  CHECK(*json.elements()->front().find("difference")->find("mean")->number() == Approx(4));
}

TEST_CASE("series that are equal say so, and are not counted with those that are judged") {
  const Series three({{10, 20, 30}, {13, 24, 35}, {10, 20, 30}});
  const auto compared = three.compared();
  CHECK(*compared[0].corrected == Approx(probability(4 * std::sqrt(3))));
  CHECK_FALSE(compared[1].corrected);
  CHECK_THAT(comparisons_text(three.figure, compared), Contains("0 ± 0 (equal)") && Contains("unchanged  equal\n"));
  CHECK_THAT(comparisons_csv(three.figure, compared), Contains(",C,A,20,20,0,0,3,1,,no\n"));
}

TEST_CASE("a pair that lacks a value is left out, and a series that shares none with the first") {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto two_pairs = Series({{10, 20, kNone}, {13, 24, 35}}).compared();
  REQUIRE(two_pairs.size() == 1);
  CHECK(two_pairs[0].pairs.difference.count == 2);
  CHECK(Series({{10, kNone}, {kNone, 35}}).compared().empty());
  const Series one_pair({{10, kNone}, {13, 24}});
  CHECK_FALSE(one_pair.compared().at(0).corrected);
  CHECK_THAT(comparisons_text(one_pair.figure, one_pair.compared()), Contains("3 (one value)") && Contains("one pair"));
}

TEST_CASE("one series or one run of each point is nothing to compare") {
  CHECK(Series({{1, 2, 3}}).compared().empty());
  CHECK(Series({{1}, {2}}).compared().empty());
}

TEST_CASE("a figure with several seeds writes how its series differ, and prints it when asked") {
  const TemporaryFolder folder;
  folder.write("base.json", R"({
    "version": 1, "rack": {"testbed": "concordia-8", "nodes": 2},
    "protocol": {"name": "flowcc", "flowcc": {"cache": "64KiB"}},
    "workload": {"kind": "micro", "threads": 1, "working_set": "1MiB", "shared_bytes": "64KiB", "warm_passes": 0},
    "run": {"measure": {"operations": 200}}})");
  folder.write("two.json", R"({
    "version": 1, "title": "Two", "base": "base.json", "metrics": {"throughput": "throughput_mops"},
    "series": [{"name": "mixed", "set": {"workload.read_ratio": 0.5}}, {"name": "reads", "set": {"workload.read_ratio": 1}}],
    "sweep": {"path": "workload.sharing_ratio", "values": [0.5]}})");
  const std::string command = "figure two.json --out points --jobs 1";
  const auto file = folder.path() / "points/comparisons.csv";
  const Outcome plain = run_racksim(folder, command + " --seeds 3");
  CAPTURE(plain.err);
  REQUIRE(plain.status == 0);
  CHECK_THAT(plain.out, !Contains("against mixed"));
  CHECK_THAT(content(file), Contains("\nthroughput,Mops,0.5,reads,mixed,"));
  CHECK_THAT(run_racksim(folder, command + " --seeds 3 --compare").out, Contains("against mixed, paired by seed"));
  CHECK_THAT(run_racksim(folder, command + " --seeds 3 --json").out, Contains("\"comparisons\""));
  // One seed leaves nothing to compare, and nothing of an earlier call.
  CHECK(run_racksim(folder, command).status == 0);
  CHECK_FALSE(std::filesystem::exists(file));
  const Outcome refused = run_racksim(folder, command + " --compare");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("--compare: found 2 series with 1 seed of each point, expected several of both"));
}

}  // namespace figure_comparisons_test
