// Metrics over time: of files and of reports, panel by panel, at values that can be worked out.
#include "tools/plot/series_plot.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/plot/plot_script.hpp"

namespace series_plot_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
using Names = std::vector<std::string>;

namespace {

const double kNone = std::nan("");

MetricOverTime metric(const char* name, const char* unit, std::vector<double> values, double interval = 10) {
  return {name, unit, 0, interval, std::move(values)};
}

ResultPlot drawn(const Names& names, const std::vector<ResultOverTime>& results, const Names& series) {
  return series_plot("runs", names, results, series, false);
}

std::string refused(const Names& names, const std::vector<ResultOverTime>& results, const Names& series) {
  return refusal([&] { drawn(names, results, series); });
}

}  // namespace

TEST_CASE("a metric holds over its interval, and where it has no value there is a gap") {
  const ResultPlot one = drawn({"rate"}, {{"rate", {metric("rate", "Mops", {1, kNone, 3})}}}, {"rate"});
  CHECK(one.csv == "time_us,series,results,rate [Mops]\n0,rate,1,1\n10,rate,0,\n20,rate,1,3\n");
  CHECK((one.points == 2 && one.results == 1));
  const PlotPanel& panel = one.plot.panels.at(0);
  CHECK(panel.y_label == "rate (Mops)");
  const auto& levels = panel.curves.at(0).levels;
  REQUIRE(levels.size() == 3);
  CHECK((levels[0].from == 0 && levels[0].to == 10 && levels[0].y == 1 && std::isnan(levels[1].y)));
  CHECK((panel.x_range->first == 0 && panel.x_range->second == 30));
  CHECK(one.plot.x_label == "time (us)");
  CHECK_THAT(plot_script(one.plot, "plot"), !Contains("nan"));
}

TEST_CASE("metrics of one unit share a panel, others have one each, and a result looks alike in all") {
  const std::vector<ResultOverTime> results{
      {"a", {metric("p50", "ns", {5}), metric("p99", "ns", {9}), metric("rate", "Mops", {1})}},
      {"b", {metric("p50", "ns", {6}), metric("rate", "Mops", {2}), metric("p99", "ns", {8})}}};
  const ResultPlot all = drawn({"p50", "rate", "p99"}, results, {"a", "b"});
  REQUIRE(all.plot.panels.size() == 2);
  CHECK(all.plot.panels[0].y_label == "ns");
  CHECK(all.plot.panels[1].y_label == "rate (Mops)");
  CHECK(all.plot.series == Names{"a, p50", "a, rate", "a, p99", "b, p50", "b, rate", "b, p99"});
  CHECK(all.plot.colours == std::vector<std::size_t>{0, 0, 0, 1, 1, 1});
  CHECK(all.plot.panels[0].curves[5].levels[0].y == 8);
  CHECK(all.plot.panels[0].curves[4].levels.empty());
  CHECK(all.plot.panels[1].curves[4].levels[0].y == 2);
  CHECK_THAT(all.csv, Contains("time_us,series,results,p50 [ns],rate [Mops],p99 [ns]\n0,a,1,5,1,9\n0,b,1,6,2,8\n"));
  // Of one unit each the panels tell which metric, the legend which result.
  const ResultPlot two = drawn({"p50", "rate"}, results, {"a", "b"});
  CHECK(two.plot.series == Names{"a", "b"});
  CHECK(two.plot.panels[1].curves[1].levels[0].y == 2);
  // What has no unit has nothing to do with each other.
  CHECK(drawn({"x", "y"}, {{"r", {metric("x", "", {1}), metric("y", "", {2})}}}, {"r"}).plot.panels.size() == 2);
}

TEST_CASE("results of one series are their mean, interval by interval, of those that have a value there") {
  const ResultPlot mean =
      drawn({"rate"}, {{"s", {metric("rate", "Mops", {1, 2, 3})}}, {"s", {metric("rate", "Mops", {3, kNone})}}}, {"s"});
  CHECK(mean.csv == "time_us,series,results,rate [Mops]\n0,s,2,2\n10,s,1,2\n20,s,1,3\n");
  CHECK(mean.results == 2);
  CHECK_THAT(
      refused({"rate"}, {{"s", {metric("rate", "", {1, 2}, 10)}}, {"s", {metric("rate", "", {1, 2}, 20)}}}, {"s"}),
      Contains("--series: found intervals of 10 us and of 20 us in one series"));
}

TEST_CASE("a metric that some results lack is told, one that all lack refused with the nearest") {
  const std::vector<ResultOverTime> results{{"a", {metric("rate", "Mops", {1})}},
                                            {"b", {metric("other", "", {kNone})}}};
  const ResultPlot some = drawn({"rate"}, results, {"a", "b"});
  REQUIRE(some.notes.size() == 2);
  CHECK(some.notes[0] == "1 of 2 results left out: no series rate");
  CHECK(some.notes[1] == "one interval alone: its length is not known, and drawn as 1 us");
  CHECK_THAT(refused({"raet"}, results, {"a", "b"}),
             Contains("--series: found \"raet\"") && Contains("mean \"rate\"?"));
  CHECK_THAT(refused({"other"}, results, {"a", "b"}), Contains("no number of \"other\" in any interval"));
}

TEST_CASE("the axis of time has the unit that suits its length") {
  const auto label = [](double interval) {
    return drawn({"r"}, {{"s", {metric("r", "", {1, 2}, interval)}}}, {"s"}).plot.x_label;
  };
  CHECK(label(1) == "time (ns)");
  CHECK(label(100) == "time (us)");
  CHECK(label(5000) == "time (ms)");
  CHECK(label(1e7) == "time (s)");
  const ResultPlot one = drawn({"r"}, {{"s", {metric("r", "", {1, 2}, 5e6)}}}, {"s"});
  CHECK_THAT(plot_script(one.plot, "plot"), Contains("'2' 2000000") && Contains("'10' 10000000"));
}

TEST_CASE("a file of observe.series is read with its units, its empty cells and its intervals") {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text) { return read_series_file(folder.write("series.csv", text)); };
  const auto metrics = read("time_us,rate [Mops],p99 [ns]\n100,2,\n102.5,4,7\n105,5,8\n");
  REQUIRE(metrics.size() == 2);
  CHECK((metrics[0].name == "rate" && metrics[0].unit == "Mops"));
  CHECK((metrics[0].begin == 100 && metrics[0].interval == 2.5));
  CHECK(metrics[0].values == std::vector<double>{2, 4, 5});
  CHECK((std::isnan(metrics[1].values[0]) && metrics[1].values[2] == 8));
  const auto wrong = [&](const std::string& text) { return refusal([&] { read(text); }); };
  CHECK_THAT(wrong("x,y\n1,2\n"), Contains("found \"x\", expected a file of observe.series"));
  CHECK_THAT(wrong("time_us,y\n"), Contains("no line below the names"));
  CHECK_THAT(wrong("time_us,y\n0,1\n1,1\n3,1\n"), Contains("found 3 after 1, expected intervals of equal length"));
  CHECK_THAT(wrong("time_us,y\n1,1\n0,1\n"), Contains("found 0 after 1"));
  CHECK_THAT(wrong("time_us,y\nzero,1\n"), Contains("found \"zero\""));
}

TEST_CASE("a report has its own time series and those of the file that lies beside it") {
  const TemporaryFolder folder;
  const auto report = [&](const char* name, const char* ratio) {
    folder.write(std::string("runs/") + name + "/report.json",
                 std::string(R"({"config": {"observe": {"series": {"file": "s.csv"}}, "workload": {"read_ratio": )") +
                     ratio + R"(}}, "metrics": {"done": {"interval": "5us", "values": [1, 2, 3]}, "operations": 6},
                     "metric_descriptions": {"done": {"unit": "operations"}}})");
  };
  report("a", "0.5");
  report("b", "0.25");
  folder.write("runs/a/s.csv", "time_us,rate [Mops]\n0,1\n10,2\n");
  const std::string at = (folder.path() / "runs").string();
  const ResultPlot done = series_plot_of({at}, {"done"}, {"workload.read_ratio"}, false);
  CHECK(done.csv ==
        "time_us,series,results,done [operations]\n0,0.25,1,1\n5,0.25,1,2\n10,0.25,1,3\n0,0.5,1,1\n5,0.5,1,2\n"
        "10,0.5,1,3\n");
  const ResultPlot both = series_plot_of({at}, {"rate", "done"}, {}, false);
  CHECK_THAT(both.csv, Contains("\n0,runs,2,1,1\n") && Contains("\n10,runs,2,2,3\n"));
  REQUIRE(both.notes.size() == 2);
  CHECK(both.notes[0] == "1 of 2 results left out: no series rate");
  CHECK_THAT(both.notes[1], Contains("differ in workload.read_ratio"));
  // The file alone.
  CHECK_THAT(series_plot_of({at + "/a/s.csv"}, {"rate"}, {}, false).csv, Contains("\n10,rate,1,2\n"));
  CHECK_THAT(refusal([&] { series_plot_of({at + "/a/s.csv"}, {"rate"}, {"seed"}, false); }),
             Contains("--by: found files"));
  CHECK_THAT(refusal([&] { series_plot_of({at + "/none"}, {"rate"}, {}, false); }), Contains("RESULTS: found"));
}

}  // namespace series_plot_test
