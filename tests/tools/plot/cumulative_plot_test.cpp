// Cumulative distributions: known buckets give known steps, and reports their histograms.
#include "tools/plot/cumulative_plot.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/plot/plot_script.hpp"
#include "tools/plot/plot_ticks.hpp"

namespace cumulative_plot_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
using Names = std::vector<std::string>;

namespace {

/// A report with these histograms and this read ratio.
std::string report(const std::string& histograms, const std::string& ratio, int seed = 1) {
  return R"({"config": {"seed": )" + std::to_string(seed) + R"(, "workload": {"read_ratio": )" + ratio +
         R"(}}, "metrics": {"latency": {"p50": null}, "operations": 1}, "histograms": )" + histograms + "}";
}

struct Step {
  double from, to, share;
  bool operator==(const Step&) const = default;
};

std::vector<Step> steps_of(const ResultPlot& drawn, std::size_t series) {
  std::vector<Step> steps;
  for (const PlotLevel& level : drawn.plot.panels.at(0).curves.at(series).levels)
    steps.push_back({level.from, level.to, level.y});
  return steps;
}

std::string doc(const Step& step) {
  return std::to_string(step.from) + " " + std::to_string(step.to) + " " + std::to_string(step.share);
}

std::string docs(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) text += doc(step) + "\n";
  return text;
}

}  // namespace

TEST_CASE("each bucket is a step to the share of records that are no longer, the last one to all of them") {
  // Eight records: 4 below 101, 3 more below 202, one below 1010.
  const ResultPlot drawn =
      cumulative_plot("runs", "latency", {{"all", 2, {{100, 101, 4}, {1000, 1010, 1}, {200, 202, 3}}}}, "");
  CHECK(docs(steps_of(drawn, 0)) == docs({{100, 101, 0}, {101, 202, 0.5}, {202, 1010, 0.875}, {1010, 1010, 1}}));
  CHECK(drawn.csv ==
        "from [ns],until [ns],series,results,count,share\n"
        "100,101,all,2,4,0.5\n200,202,all,2,3,0.875\n1000,1010,all,2,1,1\n");
  CHECK((drawn.points == 3 && drawn.results == 2));
  CHECK(drawn.plot.title == "runs: latency, cumulative");
  CHECK(drawn.plot.x_label == "latency (ns)");
  CHECK(drawn.plot.panels[0].y_scale == PlotScale::tail);
}

TEST_CASE("buckets of several results are put together by their ends") {
  const ResultPlot drawn = cumulative_plot(
      "runs", "latency", {{"a", 2, {{1, 2, 1}, {4, 5, 1}, {1, 2, 1}, {9, 10, 1}}}, {"b", 1, {{1, 2, 5}}}}, "linear");
  CHECK(docs(steps_of(drawn, 0)) == docs({{1, 2, 0}, {2, 5, 0.5}, {5, 10, 0.75}, {10, 10, 1}}));
  CHECK(docs(steps_of(drawn, 1)) == docs({{1, 2, 0}, {2, 2, 1}}));
  CHECK(drawn.plot.series == Names{"a", "b"});
}

TEST_CASE("the tail's axis has its labels where so much is left, and the script draws what is left") {
  const ResultPlot drawn =
      cumulative_plot("runs", "latency", {{"all", 1, {{1, 2, 9}, {3, 4, 90}, {5, 6, 900}, {7, 8, 1}}}}, "");
  const PlotRange range = y_range(drawn.plot.panels[0]);
  // One of 1000 is left last.
  CHECK((range.low == Approx(0.001) && range.high == 1));
  REQUIRE(range.ticks.size() == 5);
  const std::pair<const char*, double> expected[] = {
      {"0", 1}, {"0.5", 0.5}, {"0.9", 0.1}, {"0.99", 0.01}, {"0.999", 0.001}};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(range.ticks[i].label == expected[i].first);
    CHECK(range.ticks[i].at == Approx(expected[i].second));
  }
  const std::string script = plot_script(drawn.plot, "plot");
  CHECK_THAT(script, Contains("set yrange [1:0.001]") && Contains("set logscale y"));
  CHECK_THAT(script, Contains("$panel1_series1 using 1:(1-$2>0.001?1-$2:0.001) with lines"));
  CHECK_THAT(script, Contains("\n4 0.099\n6 0.099\n6 0.099\n6 0.999\n8 0.999\n8 0.999\n8 1\n8 1\n"));
}

TEST_CASE("one record, or equal ones, are a single step on an axis that has a length") {
  const ResultPlot drawn = cumulative_plot("runs", "latency", {{"one", 1, {{500, 502, 7}}}}, "");
  CHECK(docs(steps_of(drawn, 0)) == docs({{500, 502, 0}, {502, 502, 1}}));
  const auto [low, high] = *drawn.plot.panels[0].x_range;
  CHECK((low < 500 && high > 502));
  CHECK(y_range(drawn.plot.panels[0]).low == Approx(0.1));
  // What takes no time at all.
  const ResultPlot nought = cumulative_plot("runs", "latency", {{"one", 1, {{0, 0.001, 7}}}}, "log");
  CHECK(nought.plot.panels[0].x_range->first > 0);
  for (const ResultPlot* one : {&drawn, &nought}) CHECK_THAT(plot_script(one->plot, "plot"), !Contains("nan"));
}

TEST_CASE("the axis of durations is logarithmic where they differ by much, and has the unit that suits") {
  const ResultPlot wide = cumulative_plot("runs", "latency", {{"a", 1, {{1e3, 1.01e3, 1}, {1e6, 1.01e6, 1}}}}, "");
  CHECK(wide.plot.x_scale == PlotScale::log);
  CHECK(wide.plot.x_label == "latency (us)");
  CHECK_THAT(plot_script(wide.plot, "plot"), Contains("set xtics norotate offset 0,0.4 ('1' 1000, '10' 10000, "
                                                      "'100' 100000, '1000' 1000000)"));
  CHECK(cumulative_plot("runs", "latency", {{"a", 1, {{1e3, 1.01e3, 1}, {3e3, 3.1e3, 1}}}}, "").plot.x_scale ==
        PlotScale::linear);
  CHECK(cumulative_plot("runs", "latency", {{"a", 1, {{1e3, 2e3, 1}, {1e8, 2e8, 1}}}}, "linear").plot.x_label ==
        "latency (ms)");
  CHECK_THAT(refusal([] {
               cumulative_plot("runs", "l", {{"a", 1, {{1, 2, 1}}}}, "categories");
             }),
             Contains("--scale: found \"categories\" for durations"));
}

TEST_CASE("reports are one series by equal options, and what differs or lacks records is told") {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  folder.write("runs/a/report.json", report(R"({"latency": [[1, 2, 3]]})", "0.5", 1));
  folder.write("runs/b/report.json", report(R"({"latency": [[1, 2, 1]], "other": [[5, 6, 1]]})", "0.5", 2));
  folder.write("runs/c/report.json", report(R"({"latency": [[8, 9, 1]]})", "0.25"));
  folder.write("runs/d/report.json", report("{}", "0.25"));
  const ResultPlot by = cumulative_plot_of({at + "/runs"}, "latency", {"workload.read_ratio"}, "");
  CHECK(by.plot.series == Names{"0.25", "0.5"});
  CHECK(by.csv == "from [ns],until [ns],series,results,count,share\n8,9,0.25,1,1,1\n1,2,0.5,2,4,1\n");
  REQUIRE(by.notes.size() == 1);
  CHECK(by.notes[0] == "1 of 4 results left out: nothing in latency");
  const ResultPlot all = cumulative_plot_of({at + "/runs/a/report.json", at + "/runs/c"}, "latency", {}, "");
  CHECK(all.plot.series == Names{"latency"});
  REQUIRE(all.notes.size() == 1);
  CHECK_THAT(all.notes[0], Contains("differ in workload.read_ratio: --by keeps them apart"));

  // Buckets that hold nothing are none.
  folder.write("empty/report.json", report(R"({"latency": [[1, 2, 0]], "other": [[1, 2, 0], [3, 4, 2]]})", "1"));
  CHECK_THAT(cumulative_plot_of({at + "/empty"}, "other", {}, "").csv, Catch::EndsWith("share\n3,4,other,1,2,1\n"));

  const auto refused = [&](const std::string& path, const char* metric, const Names& options = {}) {
    return refusal([&] { cumulative_plot_of({at + path}, metric, options, ""); });
  };
  CHECK_THAT(refused("/runs", "latecny"),
             Contains("--cdf: found \"latecny\"") && Contains("did you mean \"latency\"?"));
  CHECK_THAT(refused("/runs/d", "latency"), Contains("nothing in \"latency\" of 1 result"));
  CHECK_THAT(refused("/empty", "latency"), Contains("nothing in \"latency\" of 1 result"));
  CHECK_THAT(refused("/runs", "latency", {"workload.read_ratoi"}),
             Contains("--by: found \"workload.read_ratoi\"") && Contains("did you mean \"workload.read_ratio\"?"));
  CHECK_THAT(refused("/nowhere", "latency"), Contains("RESULTS: found"));
  folder.write("x/report.json", report(R"({"latency": [[2, 1, 3]]})", "1"));
  CHECK_THAT(refused("/x", "latency"), Contains("x/report.json: /histograms/latency/0: found a bucket"));
  folder.write("x/report.json", report(R"({"latency": [[1, 2]]})", "1"));
  CHECK_THAT(refused("/x", "latency"), Contains("expected [from, until, count]"));
  folder.write("x/report.json", report(R"({"latency": 3})", "1"));
  CHECK_THAT(refused("/x", "latency"), Contains("expected an array of [from, until, count]"));
}

}  // namespace cumulative_plot_test
