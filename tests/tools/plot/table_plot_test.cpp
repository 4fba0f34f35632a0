// Tables of results as plots: which results are one point, in which order things come, and what is told.
#include "tools/plot/table_plot.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"

namespace table_plot_test {

using namespace racksim::tools;
using Catch::Contains;

namespace {

const std::string kThreeSeeds =
    "load,series,seed,speed (Mops),delay,verdict,run_hash\n"
    "1,B,1,10,5,pass,h\n1,B,2,13,5,pass,h\n1,B,3,4,,pass,h\n"
    "2,B,1,20,6,pass,h\n2,A,1,7,,pass,h\n1,A,1,,,crash,\n";

ResultPlot drawn(const std::string& csv, TableRequest request) {
  ResultTable table = read_csv_table(csv, "f");
  table.name = "name";
  return table_plot(table, request);
}

std::string refused(const std::string& csv, const TableRequest& request) {
  return testing::refusal([&] { drawn(csv, request); });
}

std::vector<std::string> labels_of(const Plot& plot) {
  std::vector<std::string> labels;
  for (const PlotPlace& place : plot.places) labels.push_back(place.label);
  return labels;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("results with equal x and series are one point: their mean, from the least to the most") {
  const ResultPlot one = drawn(kThreeSeeds, {"load", "speed", {"series"}, "", false});
  CHECK(one.plot.series == Names{"B", "A"});  // as the table has them
  REQUIRE(one.plot.panels.size() == 1);
  CHECK(one.plot.panels[0].y_label == "speed (Mops)");
  const PlotPoint& point = one.plot.panels[0].curves[0].points[0];
  CHECK((point.x == 1 && point.y == Approx(9) && point.low == 4 && point.high == 13));
  CHECK(one.points == 3);
  CHECK(one.csv ==
        "load,series,results,speed (Mops) mean,speed (Mops) least,speed (Mops) most\n"
        "1,B,3,9,4,13\n2,B,1,20,20,20\n2,A,1,7,7,7\n");
}

TEST_CASE("units are told in the header as they came, and durations are drawn in the unit that suits") {
  const ResultPlot one = drawn("load [ops],delay [ns]\n1,5000\n2,40000\n", {"load", "delay", {}, "", false});
  CHECK_THAT(one.csv, Catch::StartsWith("load [ops],series,results,delay mean [ns],delay least [ns],delay most [ns]\n"
                                        "1,delay,1,5000,5000,5000\n"));
  CHECK(one.plot.x_label == "load (ops)");
  CHECK(one.plot.panels[0].y_label == "delay (us)");
  CHECK(one.plot.panels[0].y_per_unit == 1000);
}

TEST_CASE("results without a value are told by number and left out") {
  const ResultPlot one = drawn(kThreeSeeds, {"load", "delay", {"series"}, "", false});
  REQUIRE(one.notes.size() == 1);
  CHECK(one.notes[0] == "3 of 6 results left out: no value of delay");
  CHECK_THAT(one.csv, !Contains("nan"));
  CHECK(one.plot.series == Names{"B"});
  CHECK_THAT(refused("x,y\n1,\n2,nan\n", {"x", "y", {}, "", false}),
             Contains("--y: found no number of \"y\" in 2 results"));
  CHECK_THAT(refused("x,y\n,1\n", {"x", "y", {}, "", false}), Contains("--x: found no number of \"x\" in 1 result,"));
  CHECK_THAT(refused("x,y\n", {"x", "y", {}, "", false}), Contains("no number of \"y\" in 0 results"));
}

TEST_CASE("results that differ in more than their seeds are told") {
  const ResultPlot mixed = drawn(kThreeSeeds, {"load", "speed", {}, "", false});
  REQUIRE(mixed.notes.size() == 2);
  CHECK_THAT(mixed.notes[1], Contains("differ in series: --by keeps them apart"));
  CHECK(mixed.plot.series == Names{"speed"});
}

TEST_CASE("several columns make series of their combinations") {
  const ResultPlot both = drawn("x,a,b,y\n1,p,q,1\n1,p,r,2\n2,p,q,3\n", {"x", "y", {"a", "b"}, "", false});
  CHECK(both.plot.series == Names{"p, q", "p, r"});
  CHECK(both.notes.empty());
}

TEST_CASE("numbers and quantities come in their order, as series too, and names as they stand") {
  const ResultPlot numbers = drawn("x,n,y\n10,16,1\n9,4,2\n", {"x", "y", {"n"}, "", false});
  CHECK(labels_of(numbers.plot) == Names{"9", "10"});
  CHECK(numbers.plot.series == Names{"4", "16"});
  CHECK(numbers.plot.joined);
  const ResultPlot sizes = drawn("x,y\n1MiB,1\n512KiB,2\n2MiB,3\n", {"x", "y", {}, "log", false});
  CHECK(labels_of(sizes.plot) == Names{"512KiB", "1MiB", "2MiB"});
  CHECK(sizes.plot.x_scale == PlotScale::log);
  CHECK(labels_of(drawn("x,y\n1ms,1\n10us,2\n", {"x", "y", {}, "", false}).plot) == Names{"10us", "1ms"});
  const ResultPlot names = drawn("x,y\nzeta,1\n4,2\nalpha,3\n", {"x", "y", {}, "", false});
  CHECK(labels_of(names.plot) == Names{"zeta", "4", "alpha"});
  CHECK(names.plot.x_scale == PlotScale::categories);
  CHECK_FALSE(names.plot.joined);
}

TEST_CASE("a column that is not there is told with the nearest, and a unit may be left out") {
  CHECK_THAT(refused(kThreeSeeds, {"laod", "speed", {}, "", false}),
             Contains("racksim plot: --x: found \"laod\"") && Contains("did you mean \"load\"?"));
  CHECK_THAT(refused(kThreeSeeds, {"load", "spede (Mops)", {}, "", false}), Contains("did you mean \"speed (Mops)\"?"));
  CHECK_THAT(refused(kThreeSeeds, {"load", "speed", {"sries"}, "", false}),
             Contains("--by") && Contains("did you mean \"series\"?"));
  CHECK_THAT(refused(kThreeSeeds, {"load", "speed", {}, "lgo", false}), Contains("did you mean \"log\"?"));
  CHECK_THAT(refused("x,y\n0,1\n", {"x", "y", {}, "log", false}), Contains("--scale: found \"log\" for 0"));
}

TEST_CASE("a logarithmic y axis tells of what has no place on it") {
  const ResultPlot log = drawn("x,y\n1,0\n2,100\n", {"x", "y", {}, "", true});
  CHECK(log.plot.panels[0].y_scale == PlotScale::log);
  REQUIRE(log.notes.size() == 1);
  CHECK(log.notes[0] == "1 point of 0 or less has no place on a logarithmic axis");
}

}  // namespace table_plot_test
