// Figures as plots: panels, error bars and marks of made-up results, at values that can be worked out.
#include "tools/figure/figure_plot.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/tools/refusal.hpp"

namespace figure_plot_test {

using namespace racksim::tools;

namespace {

/// Two series at three x, two metrics, three seeds.
Figure figure_of_two() {
  Figure figure;
  figure.name = "f";
  figure.title = "A title";
  figure.sweep_label = "load";
  figure.axes = {{{100000, "100000"}, {200000, "200000"}, {400000, "400000"}}, {"one", "other"}, {"speed", "delay"}};
  figure.metric_names = {"throughput_mops", "latency.mean"};
  figure.metric_units = {"Mops", "ns"};
  figure.repeats.seeds = {1, 2, 3};
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t x = 0; x < 3; ++x) {
      for (std::size_t r = 0; r < 3; ++r) {
        auto& point = figure.points.emplace_back();
        point.series = s;
        point.sweep = x;
        point.repeat = r;
      }
    }
  }
  return figure;
}

/// Speeds of 10 (s + 1) + x and 0, 3 and -6 more by seed; delays that are `delay` all.
std::vector<PointResult> results_of(const Figure& figure, double delay) {
  constexpr double kSpread[] = {0, 3, -6};
  std::vector<PointResult> results;
  for (const FigurePoint& point : figure.points) {
    const double speed = 10.0 * static_cast<double>(point.series + 1) + static_cast<double>(point.sweep);
    auto& result = results.emplace_back();
    result.values = {speed + kSpread[point.repeat], delay};
    result.hash = "h";
    result.pass = true;
  }
  return results;
}

void claim(Figure& figure, const char* text) {
  figure.claims.push_back(read_claim(parse_json(text, "claim"), {"claim", ""}, figure.axes));
}

}  // namespace

TEST_CASE("a panel for each metric, series in the figure's order, the mean with its interval") {
  const Figure figure = figure_of_two();
  const Plot plot = figure_plot(figure, results_of(figure, 500));
  CHECK(plot.title == "f: A title");
  CHECK(plot.x_label == "load");
  CHECK(plot.places[1].label == "200 k");
  CHECK(plot.series == std::vector<std::string>{"one", "other"});
  REQUIRE(plot.panels.size() == 2);
  CHECK(plot.panels[0].y_label == "speed (Mops)");
  CHECK(plot.panels[1].y_label == "delay (ns)");
  const PlotPoint& point = plot.panels[0].curves[1].points[2];
  // Of 22, 25 and 16: the sample variance is 21, and Student's t with two degrees of freedom is 4.3027.
  CHECK((point.x == 400000 && point.y == Approx(21)));
  CHECK(point.low == Approx(21 - 4.3027 * std::sqrt(21.0 / 3)).epsilon(1e-4));
  CHECK(point.high == Approx(21 + 4.3027 * std::sqrt(21.0 / 3)).epsilon(1e-4));
}

TEST_CASE("a metric is on a logarithmic axis where the figure says so, and long durations in a longer unit") {
  Figure figure = figure_of_two();
  figure.logarithmic = {1};
  const Plot plot = figure_plot(figure, results_of(figure, 25'000));
  REQUIRE(plot.panels.size() == 2);
  CHECK((plot.panels[0].y_scale == PlotScale::linear && plot.panels[1].y_scale == PlotScale::log));
  CHECK(plot.panels[1].y_label == "delay (us)");
  CHECK(plot.panels[1].y_per_unit == 1000);
  CHECK(plot.panels[1].curves[0].points[0].y == Approx(25'000));
  // A name that has its unit keeps it.
  figure.axes.metrics[1] = "delay (ns)";
  const Plot named = figure_plot(figure, results_of(figure, 25'000));
  CHECK((named.panels[1].y_label == "delay (ns)" && named.panels[1].y_per_unit == 1));
}

TEST_CASE("what is nought everywhere or has no value has no panel") {
  const Figure figure = figure_of_two();
  CHECK(figure_plot(figure, results_of(figure, 0)).panels.size() == 1);
  CHECK(figure_plot(figure, results_of(figure, std::nan(""))).panels.size() == 1);
}

TEST_CASE("a value that the paper states of a series at some x is a mark, other claims are none") {
  Figure figure = figure_of_two();
  claim(figure, R"({"id": "a", "paper": {"value": 12}, "read": {"series": "other", "metric": "speed", "x": 200000}})");
  claim(figure,
        R"({"id": "b", "paper": {"value": 480}, "read": {"each": ["one"], "metric": "delay", "x": [100000, 400000]}})");
  claim(figure,
        R"({"id": "c", "paper": {"min": 1, "max": 2}, "read": {"series": "one", "metric": "speed", "x": 200000}})");
  claim(figure,
        R"({"id": "d", "paper": {"value": 2}, "read": {"ratio": ["one", "other"], "metric": "speed", "x": 200000}})");
  claim(figure, R"({"id": "e", "paper": {"value": 9}, "read": {"max": "one", "metric": "speed"}})");
  claim(figure, R"({"id": "own/f", "paper": {"value": 7}, "read": {"series": "one", "metric": "speed", "x": 200000}})");
  const Plot plot = figure_plot(figure, results_of(figure, 500));
  REQUIRE(plot.panels[0].marks.size() == 1);
  CHECK(
      (plot.panels[0].marks[0].series == 1 && plot.panels[0].marks[0].x == 200000 && plot.panels[0].marks[0].y == 12));
  REQUIRE(plot.panels[1].marks.size() == 2);
  CHECK((plot.panels[1].marks[1].x == 400000 && plot.panels[1].marks[1].y == 480));
}

TEST_CASE("with a knee a panel has each series under each criterion, in one colour") {
  Figure figure = figure_of_two();
  figure.repeats = {};
  std::erase_if(figure.points, [](const FigurePoint& point) { return point.repeat > 0; });
  figure.knee.emplace();
  figure.knee->criteria.resize(2);
  figure.knee->criteria[0].name = "strict";
  figure.knee->criteria[0].loss = 0.02;
  figure.knee->criteria[1].name = "loose";
  figure.knee->criteria[1].loss = 0.18;
  std::vector<PointResult> results;
  for (const PointResult& one : results_of(figure, 500)) {
    results.push_back(one);
    results.push_back(one);
    results.back().values[0] += 100;  // under the second
  }
  claim(figure, R"({"id": "a", "paper": {"value": 12}, "read": {"series": "one", "metric": "speed", "x": 200000}})");
  const Plot plot = figure_plot(figure, results);
  CHECK(plot.series == std::vector<std::string>{"one, strict", "one, loose", "other, strict", "other, loose"});
  CHECK(plot.colours == std::vector<std::size_t>{0, 0, 1, 1});
  CHECK(plot.title == "f: A title (at the knee: strict, at most 2 % lost; loose, at most 18 % lost)");
  REQUIRE(plot.panels.size() == 2);
  CHECK(plot.panels[0].curves[2].points[1].y == 21);
  CHECK(plot.panels[0].curves[3].points[1].y == 121);
  CHECK(plot.panels[0].marks[0].series == 1);
}

TEST_CASE("names stand side by side, and so does a single value") {
  Figure figure = figure_of_two();
  figure.x_scale = PlotScale::categories;
  CHECK(figure_plot(figure, results_of(figure, 1)).joined);
  for (std::size_t i = 0; i < 3; ++i) figure.axes.sweep[i] = {static_cast<double>(i), "name " + std::to_string(i)};
  const Plot names = figure_plot(figure, results_of(figure, 1));
  CHECK_FALSE(names.joined);
  CHECK(names.places[2].label == "name 2");
  Figure single = figure_of_two();
  single.axes.sweep.resize(1);
  std::erase_if(single.points, [](const FigurePoint& point) { return point.sweep > 0; });
  const Plot one = figure_plot(single, results_of(single, 1));
  CHECK_FALSE(one.joined);
  CHECK(one.x_scale == PlotScale::categories);
}

}  // namespace figure_plot_test
