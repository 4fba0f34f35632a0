// The picture of a figure with a sweep: made-up results of two series at places that can be worked out.
#include "tools/figure/figure_chart.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

namespace figure_chart_test {

using namespace racksim::tools;

namespace {

/// Two series at three x, one metric; where `values` are told series by series.
std::string drawn(const std::vector<SweepPoint>& sweep, const std::vector<double>& values,
                  std::vector<std::string> series = {"one", "two & more"}) {
  Figure figure;
  figure.name = "f";
  figure.title = "A < B";
  figure.sweep_label = "x";
  figure.axes = {sweep, std::move(series), {"speed"}};
  figure.metric_names = {"throughput_mops"};
  figure.metric_units = {"Mops"};
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

TEST_CASE("what is nought everywhere or has no value has no panel, and a panel's title has the unit") {
  CHECK_THAT(drawn({{0, "0"}, {1, "1"}}, {0, 0, 0, 1}), Catch::Contains(">speed (Mops)<"));
  CHECK_THAT(drawn({{0, "0"}, {1, "1"}}, {0, std::nan(""), 0, 0}), !Catch::Contains("speed"));
  CHECK_THAT(drawn({{0, "0"}, {1, "1"}}, {0, 0, 0, 0}), !Catch::Contains("speed"));
}

TEST_CASE("a legend of many or long names goes on in the next line, inside the picture, with no name on another") {
  for (const std::size_t count : {1U, 5U, 12U}) {
    CAPTURE(count);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("GAM-TSO, write locks of kind " + std::to_string(i));
    const std::string svg = drawn({{0, "0"}}, std::vector<double>(count, 1), names);
    double last_end = 0, last_y = 0, plot = 0;
    std::sscanf(svg.c_str() + svg.find("<polyline points=\""), "<polyline points=\"%*f,%lf", &plot);
    for (const std::string& name : names) {
      const std::size_t end = svg.find(">" + name + "<");
      REQUIRE(end != std::string::npos);
      double x = 0, y = 0;
      REQUIRE(std::sscanf(svg.c_str() + svg.rfind("<text ", end), "<text x=\"%lf\" y=\"%lf\"", &x, &y) == 2);
      CHECK(x + 7 * static_cast<double>(name.size()) <= 760);
      CHECK(y < plot - 5);
      if (y == last_y) CHECK(x - 23 > last_end);
      CHECK(y >= last_y);
      last_y = y;
      last_end = x + 7 * static_cast<double>(name.size());
    }
    CHECK(last_end > 0);
  }
}

TEST_CASE("of labels on the x axis those are written that do not lie on one another") {
  const std::vector<SweepPoint> sweep{
      {0, "0"}, {0.02, "two hundredths"}, {0.04, "four hundredths and more"}, {0.3, "0.3"}, {0.4, "0.4"}};
  const std::string svg = drawn(sweep, std::vector<double>(10, 1));
  for (const char* written : {">0<", ">0.3<", ">0.4<"}) CHECK(times(svg, written) >= 1);
  CHECK(times(svg, "hundredths") == 0);
}

}  // namespace figure_chart_test
