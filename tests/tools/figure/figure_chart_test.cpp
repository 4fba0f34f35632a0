// The picture of a figure with a sweep: made-up results of two series at places that can be worked out.
#include "tools/figure/figure_chart.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

namespace figure_chart_test {

using namespace racksim::tools;

namespace {

/// Two series at three x, one metric; where `values` are told series by series.
std::string drawn(const std::vector<SweepPoint>& sweep, const std::vector<double>& values) {
  Figure figure;
  figure.name = "f";
  figure.title = "A < B";
  figure.sweep_label = "x";
  figure.axes = {sweep, {"one", "two & more"}, {"speed"}};
  figure.metric_names = {"throughput_mops"};
  std::vector<PointResult> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    FigurePoint point;
    point.series = i / sweep.size();
    point.sweep = i % sweep.size();
    figure.points.push_back(point);
    PointResult result;
    result.values = {values[i]};
    results.push_back(result);
  }
  return figure_svg(figure, results);
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("each series is a line through its points, those without a value left out") {
  const std::string svg = drawn({{0, "0"}, {1, "1"}, {4, "4"}}, {0, 5, 10, 1, std::nan(""), 2});
  CHECK(times(svg, "<polyline") == 2);
  CHECK(times(svg, "<circle") == 5);
  CHECK_THAT(svg, Catch::Contains("A &lt; B") && Catch::Contains("two &amp; more"));
  // x from 70 to 740: a quarter of the way is 237.5.
  CHECK_THAT(svg, Catch::Contains("cx=\"237.5\"") && Catch::Contains("cx=\"740.0\""));
  CHECK(times(svg, "nan") == 0);
  CHECK_THAT(svg, !Catch::Contains(">-0<"));
}

TEST_CASE("values of a sweep that would lie on each other stand in their order") {
  const std::string svg = drawn({{1, "1"}, {2, "2"}, {1000, "1000"}}, {1, 2, 3, 1, 2, 3});
  CHECK(times(svg, "cx=\"405.0\"") == 2);
}

TEST_CASE("a sweep of one value, of which nothing is known, or that is nought, can be drawn") {
  CHECK(times(drawn({{3, "3"}}, {2, 1}), "cx=\"405.0\"") == 2);
  CHECK(times(drawn({{3, "3"}}, {std::nan(""), std::nan("")}), "<circle") == 0);
  CHECK(times(drawn({{0, "0"}, {1, "1"}}, {0, 0, 0, 0}), "nan") == 0);
}

}  // namespace figure_chart_test
