// Ranges and labels of axes, at values that can be worked out.
#include "tools/plot/plot_ticks.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tools/plot/text_width.hpp"

namespace plot_ticks_test {

using namespace racksim::tools;

namespace {

PlotPanel panel_of(const std::vector<double>& values, PlotScale scale = PlotScale::linear) {
  PlotPanel panel;
  panel.y_scale = scale;
  panel.curves.resize(1);
  for (const double y : values) panel.curves[0].points.push_back({0, y, y, y});
  return panel;
}

std::vector<std::string> labels_of(const PlotRange& range) {
  std::vector<std::string> labels;
  for (const PlotTick& tick : range.ticks) labels.push_back(tick.label);
  return labels;
}

using Labels = std::vector<std::string>;
const double kNone = std::nan("");

}  // namespace

TEST_CASE("labels have six digits, and large ones a prefix") {
  CHECK(tick_label(0) == "0");
  CHECK(tick_label(-0.0) == "0");
  CHECK(tick_label(0.95) == "0.95");
  CHECK(tick_label(99999) == "99999");
  CHECK(tick_label(500000) == "500 k");
  CHECK(tick_label(-1500000) == "-1.5 M");
  CHECK(tick_label(2e9) == "2 G");
  CHECK(tick_label(4e13) == "40 T");
}

TEST_CASE("the y axis begins at nought, holds all values with their spread and marks, and has round labels") {
  CHECK(labels_of(y_range(panel_of({3, 22}))) == Labels{"0", "5", "10", "15", "20"});
  PlotPanel spread = panel_of({10});
  spread.curves[0].points[0].high = 44;
  spread.marks.push_back({0, 0, 50});
  CHECK(y_range(spread).high > 50);
  CHECK(y_range(spread).low == 0);
  const PlotRange negative = y_range(panel_of({-3, 4}));
  CHECK((negative.low < -3 && negative.high > 4));
  CHECK(labels_of(negative) == Labels{"-2", "0", "2", "4"});
}

TEST_CASE("a logarithmic axis goes from power to power of ten and takes nothing from nought down") {
  const PlotRange range = y_range(panel_of({0, -5, 2, 3000}, PlotScale::log));
  CHECK((range.low == 1 && range.high == 10000));
  CHECK(labels_of(range) == Labels{"1", "10", "100", "1000", "10000"});
  CHECK(labels_of(y_range(panel_of({10}, PlotScale::log))) == Labels{"10", "100"});
  CHECK(y_range(panel_of({1e-12, 1e12}, PlotScale::log)).ticks.size() <= 8);
}

TEST_CASE("an axis without a value, with one, or with values that are nought or equal is one all the same") {
  for (const auto& values : {std::vector<double>{}, {kNone}, {0}, {7}, {-7}, {3, 3}, {INFINITY}, {1e-300}, {1e300}}) {
    for (const PlotScale scale : {PlotScale::linear, PlotScale::log}) {
      const PlotRange range = y_range(panel_of(values, scale));
      CHECK((std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high));
      CHECK(!range.ticks.empty());
      CHECK(range.ticks.size() <= 9);
    }
  }
}

TEST_CASE("an axis of another unit has round labels of that unit, where the values are") {
  PlotPanel panel = panel_of({20'000, 120'000});
  panel.y_per_unit = 1000;
  const PlotRange range = y_range(panel);
  CHECK(labels_of(range) == Labels{"0", "50", "100"});
  CHECK(range.ticks[1].at == 50'000);
  panel.y_scale = PlotScale::log;
  CHECK(labels_of(y_range(panel)) == Labels{"10", "100", "1000"});
  CHECK(y_range(panel).ticks[1].at == Approx(100'000));
}

TEST_CASE("shares have labels where so much is left, as many as have room") {
  const auto tail = [](double share) {
    PlotPanel panel;
    panel.y_scale = PlotScale::tail;
    panel.curves.resize(1);
    panel.curves[0].levels = {{0, 1, 0, false}, {1, 2, share, false}, {2, 2, 1, false}};
    return labels_of(y_range(panel));
  };
  CHECK(tail(0.2) == Labels{"0", "0.5", "0.9"});
  CHECK(tail(0.9) == Labels{"0", "0.5", "0.9"});
  CHECK(tail(0.995) == Labels{"0", "0.5", "0.9", "0.99", "0.999"});
  CHECK(tail(0.99995) == Labels{"0", "0.9", "0.99", "0.999", "0.9999", "0.99999"});
  CHECK(tail(1 - 1e-12).size() <= 8);
  CHECK(tail(1) == Labels{"0", "0.5", "0.9"});
}

TEST_CASE("round numbers of a logarithmic axis are powers of ten, more where those are few") {
  using Numbers = std::vector<double>;
  CHECK(round_ratios(0.9, 1000) == Numbers{1, 10, 100, 1000});
  CHECK(round_ratios(9, 60) == Numbers{10, 20, 50});
  CHECK(round_ratios(1, 20) == Numbers{1, 2, 5, 10, 20});
  CHECK(round_ratios(101, 109) == Numbers{102, 104, 106, 108});
}

TEST_CASE("labels below the x axis stand at its places, without those that would lie on another") {
  Plot plot;
  for (const double x : {0.0, 0.01, 0.02, 0.5, 1.0}) plot.places.push_back({x, tick_label(x)});
  CHECK(labels_of(x_range(plot, {}, 180)) == Labels{"0", "0.5", "1"});
  CHECK(labels_of(x_range(plot, {}, 4000)) == Labels{"0", "0.01", "0.02", "0.5", "1"});
  const PlotRange range = x_range(plot, {}, 180);
  CHECK((range.low < 0 && range.high > 1));
}

TEST_CASE("on a logarithmic x axis powers stand at equal distances, on one of categories whatever there is") {
  Plot plot;
  plot.x_scale = PlotScale::log;
  for (const double x : {1.0, 10.0, 100.0, 1000.0}) plot.places.push_back({x, tick_label(x)});
  const PlotRange range = x_range(plot, {}, 180);
  CHECK(range.ticks.size() == 4);
  CHECK(1 / range.low == Approx(range.high / 1000));
  plot.x_scale = PlotScale::categories;
  CHECK((x_range(plot, {}, 1).ticks.size() == 4 && x_range(plot, {}, 1).low == -0.5));
  CHECK(x_on_axis(plot, 100) == 2);
  plot.x_scale = PlotScale::linear;
  CHECK(x_on_axis(plot, 100) == 100);
}

TEST_CASE("a stretch of time has round instants below it") {
  Plot plot;
  PlotPanel panel;
  panel.x_range = {{37.85, 38.1}};
  CHECK(labels_of(x_range(plot, panel, 400)) == Labels{"37.85", "37.9", "37.95", "38", "38.05", "38.1"});
  plot.x_per_unit = 1000;
  panel.x_range = {{0, 5000}};
  const PlotRange range = x_range(plot, panel, 400);
  CHECK(labels_of(range) == Labels{"0", "1", "2", "3", "4", "5"});
  CHECK(range.ticks[2].at == 2000);
  plot.x_scale = PlotScale::log;
  panel.x_range = {{10, 300'000}};
  CHECK(labels_of(x_range(plot, panel, 400)) == Labels{"0.01", "0.1", "1", "10", "100"});
}

}  // namespace plot_ticks_test
