// A figure's points as comma-separated values, of made-up results: columns, units, seeds and placements, and commands that
// are read back as they are meant.
#include "tools/figure/figure_csv.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tools/plot/table_plot.hpp"

namespace figure_csv_test {

using namespace racksim::tools;
using Catch::Contains;

namespace {

/// Two series at two x with three seeds or placements; a value says where it is: series, x, seed.
Figure figure_of_two(const Repeats& repeats) {
  Figure figure;
  figure.name = "f";
  figure.base = "some folder/base.json";
  figure.sweep_label = "load";
  figure.axes = {{{1, "1"}, {2, "2"}}, {"one", "the \"other\", last"}, {"delay", "speed (Mops)"}};
  figure.metric_names = {"latency.mean", "throughput_mops"};
  figure.metric_units = {"ns", "Mops"};
  figure.repeats = repeats;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t r = 0; r < repeats.count(); ++r) {
        auto& point = figure.points.emplace_back();
        point.series = s;
        point.sweep = x;
        point.repeat = r;
        point.scenario.seed = repeats.seeds.empty() ? 5 : repeats.seeds[r];
        point.overrides = {fmt::format("x={}", x), R"(names=["a","b"])"};
      }
    }
  }
  return figure;
}

std::vector<PointResult> results_of(const Figure& figure) {
  constexpr double kSpread[] = {0, 3, -6};
  std::vector<PointResult> results;
  for (const FigurePoint& point : figure.points) {
    auto& result = results.emplace_back();
    const double base = 100.0 * static_cast<double>(point.series + 1) + 10.0 * static_cast<double>(point.sweep);
    result.values = {base + kSpread[point.repeat], 1};
    result.hash = "h";
    result.pass = true;
  }
  return results;
}

const Repeats kPlacements{{}, {7, 8, 9}}, kSeeds{{7, 8, 9}, {}};

/// As the shell takes it, and as a field of CSV.
std::string command(int x) {
  return fmt::format(R"("racksim run 'some folder/base.json' --set x={} --set 'names=[""a"",""b""]'")", x);
}

}  // namespace

TEST_CASE("each row of a figure's CSV tells units, seed, placement, interval over the placements, and its command") {
  const Figure figure = figure_of_two(kPlacements);
  auto results = results_of(figure);
  // The sample variance of 0, 3 and -6 is 21, and Student's t with two degrees of freedom has a closed form: 4.3027.
  const double t = 0.95 * std::sqrt(2 / (4 * 0.975 * 0.025));
  const std::string half_width = fmt::format("{:.12g}", t * std::sqrt(21.0 / 3));
  CHECK_THAT(figure_csv(figure, results),
             Catch::StartsWith("load,series,seed,placement,delay [ns],speed [Mops],delay mean [ns],"
                               "delay half_width [ns],delay least [ns],delay most [ns],speed mean [Mops],"
                               "speed half_width [Mops],speed least [Mops],speed most [Mops],verdict,run_hash,command\n"
                               "1,one,5,7,100,1,99," +
                               half_width + ",94,103,1,0,1,1,pass,h," + command(0) + "\n1,one,5,8,103,1,99," +
                               half_width + ",94,103,1,0,1,1,pass,h," + command(0) + "\n1,one,5,9,94,1,99," +
                               half_width + ",94,103,1,0,1,1,pass,h," + command(0) + "\n2,one,5,7,110,1,109," +
                               half_width + ",104,113,1,0,1,1,pass,h," + command(1) + "\n"));
  // Where a placement has no value there is no spread, and never a NaN.
  results[1].values[0] = std::nan("");
  const std::string lacking = figure_csv(figure, results);
  CHECK_THAT(lacking, Contains("\n1,one,5,7,100,1,,,,,1,0,1,1,pass,h,") && Contains("\n1,one,5,8,,1,,,,,1,0,1,1,"));
  CHECK_THAT(lacking, !Contains("nan"));
}

TEST_CASE("seeds are a column of the CSV, of one run as well, but where they are x") {
  const Figure three = figure_of_two(kSeeds);
  CHECK_THAT(figure_csv(three, results_of(three)),
             Catch::StartsWith("load,series,seed,delay [ns],") && Contains("\n2,one,8,113,1,109,"));
  Figure alone = figure_of_two({});
  CHECK_THAT(
      figure_csv(alone, results_of(alone)),
      Catch::StartsWith("load,series,seed,delay [ns],speed [Mops],verdict,run_hash,command\n1,one,5,100,1,pass,h,"));
  alone.sweep_label = "seed";
  CHECK_THAT(figure_csv(alone, results_of(alone)), Catch::StartsWith("seed,series,delay [ns],"));
}

TEST_CASE("a point that failed says so, and one that did not end has no value") {
  const Figure figure = figure_of_two({});
  auto results = results_of(figure);
  results[0].pass = false;
  results[1] = {{std::nan(""), std::nan("")}, "", false, "a problem", 0, false};
  CHECK_THAT(figure_csv(figure, results), Contains("\n1,one,5,100,1,fail,h,") && Contains("\n2,one,5,,,crash,,"));
}

TEST_CASE("a figure's CSV is read back with its units, and seeds and commands keep no points apart") {
  const Figure figure = figure_of_two(kSeeds);
  ResultTable table = read_csv_table(figure_csv(figure, results_of(figure)), "points.csv");
  CHECK(table.units == std::map<std::string, std::string>{{"delay", "ns"},
                                                          {"delay mean", "ns"},
                                                          {"delay half_width", "ns"},
                                                          {"delay least", "ns"},
                                                          {"delay most", "ns"},
                                                          {"speed", "Mops"},
                                                          {"speed mean", "Mops"},
                                                          {"speed half_width", "Mops"},
                                                          {"speed least", "Mops"},
                                                          {"speed most", "Mops"}});
  for (const char* y : {"delay", "delay [ns]"}) {
    const ResultPlot drawn = table_plot(table, {"load", y, {"series"}, "", false});
    CHECK(drawn.notes.empty());
    CHECK(drawn.plot.panels[0].y_label == "delay (ns)");
    CHECK(drawn.plot.series == std::vector<std::string>{"one", "the \"other\", last"});
    const PlotPoint& point = drawn.plot.panels[0].curves[1].points[1];
    CHECK((point.x == 2 && point.y == Approx(209) && point.low == 204 && point.high == 213));
  }
}

}  // namespace figure_csv_test
