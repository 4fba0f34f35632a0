// What a figure prints and writes, of made-up results: the spread over placements, units, and what claims were read off.
#include "tools/figure/figure_report.hpp"

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tools/figure/figure_csv.hpp"

namespace figure_report_test {

using namespace racksim::tools;
using Catch::Contains;

namespace {

/// Two series at two x with three placements of keys; a value says where it is: series, x, placement.
Figure figure_of_two() {
  Figure figure;
  figure.name = "f";
  figure.title = "t";
  figure.sweep_label = "load";
  figure.axes = {{{1, "1"}, {2, "2"}}, {"one", "other"}, {"delay", "speed (Mops)"}};
  figure.metric_names = {"latency.mean", "throughput_mops"};
  figure.metric_units = {"ns", "Mops"};
  figure.repeats.placements = {7, 8, 9};
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t p = 0; p < 3; ++p) {
        auto& point = figure.points.emplace_back();
        point.series = s;
        point.sweep = x;
        point.repeat = p;
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

}  // namespace

TEST_CASE("tables and JSON tell the mean of several placements with its interval, and of one alone no interval") {
  Figure figure = figure_of_two();
  auto results = results_of(figure);
  CHECK_THAT(figure_text(figure, results),
             Contains("99 ± 11.38 (94 .. 103)    199 ± 11.38 (194 .. 203)\n") && Contains("1 ± 0 (1 .. 1)"));
  const JsonValue json = figure_json(figure, results);
  const JsonValue& mean = json.find("means")->elements()->front();
  CHECK(*mean.find("series")->string() == "one");
  CHECK(*mean.find("values")->find("delay")->find("mean")->number() == Approx(99));
  CHECK(*mean.find("values")->find("delay")->find("half_width")->number() == Approx(11.38).margin(0.01));
  results[1].values[0] = std::nan("");
  CHECK_THAT(figure_text(figure, results), !Contains("± nan"));
  figure.repeats.placements = {7};
  std::erase_if(figure.points, [](const FigurePoint& point) { return point.repeat > 0; });
  CHECK_THAT(figure_text(figure, results_of(figure)), !Contains("±") && !Contains(" .. "));
  CHECK(figure_json(figure, results_of(figure)).find("means") == nullptr);
}

TEST_CASE("with seeds and placements the CSV and JSON tell both, and the spread is that of the seeds") {
  Figure figure = figure_of_two();
  figure.repeats = {{3, 4}, {7, 8}};
  figure.axes.series = {"one"};
  figure.axes.sweep.resize(1);
  figure.points.assign(4, {});
  for (std::size_t run = 0; run < 4; ++run) figure.points[run].repeat = run;
  std::vector<PointResult> results(4);
  for (std::size_t run = 0; run < 4; ++run) results[run].values = {std::vector<double>{1, 3, 2, 6}[run], 1};
  // The seeds' means are 2 and 4, whose standard error is 1: Student's t with one degree of freedom is tan(0.475 pi).
  const std::string spread = fmt::format("3,{:.12g},2,4,1,0,1,1,crash,,", std::tan(0.475 * 3.14159265358979));
  const std::string csv = figure_csv(figure, results);
  CHECK_THAT(csv, Catch::StartsWith("load,series,seed,placement,delay [ns],"));
  for (const char* row : {"\n1,one,3,7,1,1,", "\n1,one,3,8,3,1,", "\n1,one,4,7,2,1,", "\n1,one,4,8,6,1,"}) {
    CHECK_THAT(csv, Contains(row + spread));
  }
  const JsonValue json = figure_json(figure, results);
  CHECK(*json.find("repeats")->string() == "2 seeds with 2 placements each");
  const JsonValue& third = (*json.find("points")->elements())[2];
  CHECK(*third.find("seed")->natural() == 4);
  CHECK(*third.find("placement")->natural() == 7);
  CHECK_THAT(figure_text(figure, results), Contains("each point with 2 seeds with 2 placements each: the mean"));
}

TEST_CASE("metrics are told with their units, once, and claims with the series and x that they were read off") {
  Figure figure = figure_of_two();
  const auto claim = [&](const char* text) {
    figure.claims.push_back(read_claim(parse_json(text, "claim"), {"claim", ""}, figure.axes));
  };
  claim(R"({"id": "a", "text": "A.", "paper": {"min": 1}, "read": {"ratio": ["other", "one"], "metric": "delay"}})");
  claim(
      R"({"id": "b", "text": "B.", "paper": {"order": ["one", "~", "other"], "tolerance": 0.9}, "read": {"metric": "delay", "x": 2}})");
  const auto results = results_of(figure);
  const std::string text = figure_text(figure, results);
  CHECK_THAT(text, Contains("\ndelay (ns) (latency.mean)\n") && Contains("\nspeed (Mops) (throughput_mops)\n"));
  CHECK_THAT(text, Contains("A.\n") && Contains("(delay of other / delay of one at 1, 2)\n"));
  CHECK_THAT(text, Contains("(delay of one at 2; delay of other at 2)\n"));
  const JsonValue json = figure_json(figure, results);
  CHECK(*json.find("units")->find("delay")->string() == "ns");
  CHECK(*(*json.find("claims")->elements())[1].find("read_off")->string() == "delay of one at 2; delay of other at 2");
}

}  // namespace figure_report_test
