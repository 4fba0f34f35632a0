// Directions judged by paired differences, of made-up values. With three runs Student's t has two degrees of freedom, and
// its two-sided probability is 1 - t / sqrt(2 + t²): differences of m - 1, m and m + 1 have t = m * sqrt(3), so that m = 2.6
// gives 0.046, 4.04 gives 0.0198, and 2.4 gives 0.053.
#include "tools/figure/claim_directions.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace claim_directions_test {

using namespace racksim::tools;

namespace {

/// What each of three runs has of the series A, B and C, at each x.
using Curve = std::vector<std::vector<double>>;

/// Three runs of which the middle one has this value.
std::vector<double> around(double middle, double step = 1) {
  return {middle - step, middle, middle + step};
}
/// Three runs that are equal.
std::vector<double> steady(double value) {
  return around(value, 0);
}

std::string judged(const std::string& claim, const std::vector<Curve>& series) {
  FigureAxes axes;
  const std::vector<std::string> names{"A", "B", "C"};
  axes.metrics = {"speed"};
  const std::size_t points = series.front().size(), runs = series.front().front().size();
  for (std::size_t x = 0; x < points; ++x) axes.sweep.push_back({static_cast<double>(x), std::to_string(x)});
  for (std::size_t s = 0; s < series.size(); ++s) axes.series.push_back(names[s]);
  std::vector<FigureValues> each(runs);
  FigureValues mean;
  for (const Curve& curve : series) {
    auto& of_mean = mean.of.emplace_back();
    for (FigureValues& run : each) run.of.emplace_back();
    for (const auto& values : curve) {
      double sum = 0;
      for (std::size_t run = 0; run < runs; ++run) {
        each[run].of.back().push_back({values[run]});
        sum += values[run];
      }
      of_mean.push_back({sum / static_cast<double>(runs)});
    }
  }
  const auto verdict = judge_direction(read_claim(parse_json(claim, "t"), {"t", ""}, axes), axes, mean, each);
  if (!verdict) return "none";
  return std::string(verdict->met               ? "met"
                     : verdict->unclear.empty() ? "off"
                                                : verdict->unclear) +
         (verdict->same ? ", same" : "");
}

std::string shape(const std::string& name, const Curve& curve, const std::string& more = "") {
  return judged(R"({"id": "c", "paper": {"shape": ")" + name + '"' + more + R"(}, "read": "A"})", {curve});
}
std::string order(const std::string& relation, const std::vector<double>& a, const std::vector<double>& b,
                  const std::string& more = "") {
  return judged(R"({"id": "c", "paper": {"order": ["A", ")" + relation + R"(", "B"])" + more + "}}", {{a}, {b}});
}

const std::string kAcross = "the 95 % interval of the paired difference goes across";

}  // namespace

TEST_CASE("one series is above another if the interval of their paired difference is") {
  const std::vector<double> b{100, 20, 300};  // what both share cancels out
  CHECK(order(">", {101.6, 22.6, 303.6}, b) == "met");
  CHECK(order(">", {101.4, 22.4, 303.4}, b) == kAcross);
  CHECK(order(">", {98.4, 17.4, 296.4}, b) == "off");
  CHECK(order(">=", {98.4, 17.4, 296.4}, b) == "off");
  CHECK(order(">=", {101.6, 22.6, 303.6}, b) == "met");
}

TEST_CASE("differences that are the same in all runs are judged by their sign, and said to be") {
  const std::vector<double> b{100, 20, 300};
  CHECK(order(">", {101, 21, 301}, b) == "met, same");
  CHECK(order(">", b, b) == "off, same");
  CHECK(order(">=", b, b) == "met, same");
  CHECK(order(">", {99, 19, 299}, b) == "off, same");
}

TEST_CASE("several pairs are judged together by Holm's correction") {
  // 0.046 alone is told; twice it is not, and the smaller of 0.0198 and 0.046 counts twice.
  CHECK(shape("monotone_increasing", {steady(0), around(2.6)}) == "met");
  CHECK(shape("monotone_increasing", {steady(0), around(2.6), steady(5.2)}) ==
        "2 of 2 paired differences cannot be told");
  CHECK(shape("monotone_increasing", {steady(0), around(4.04), steady(6.64)}) == "met");
  // What has no variance is not counted.
  CHECK(shape("monotone_increasing", {steady(0), around(2.6), around(3.6)}) == "met");
}

TEST_CASE("a direction is off if one pair is on the wrong side, whatever cannot be told besides") {
  CHECK(shape("monotone_increasing", {steady(0), around(-9), steady(-9.1)}) == "off");
  CHECK(shape("monotone_decreasing", {steady(0), around(-9), steady(-11)}) ==
        "1 of 2 paired differences cannot be told");
}

TEST_CASE("what counts as equal moves the difference") {
  const std::string tenth = R"(, "tolerance": 0.1)";
  CHECK(order(">", around(20, 0.1), steady(10), tenth) == "met");
  CHECK(order(">", around(10.5, 0.01), steady(10), tenth) == "within 10 %, which counts as equal");
  CHECK(order(">", around(11.1, 0.1), steady(10), tenth) == "1 of 2 paired differences cannot be told");
  CHECK(order(">", around(9.5, 0.01), steady(10), tenth) == "off");
  CHECK(order("~", around(10.5, 0.01), steady(10), tenth) == "met");
  CHECK(order("~", around(9.5, 0.01), steady(10), tenth) == "met");
  CHECK(order("~", around(11.2, 0.01), steady(10), tenth) == "off");
  CHECK(order("~", around(8.9, 0.01), steady(10), tenth) == "off");
  CHECK(order("~", around(11, 1), steady(10), tenth) == "2 of 2 paired differences cannot be told");
  CHECK(order("~", steady(11), steady(10), tenth) == "met, same");
}

TEST_CASE("slightly more is above, and no more than that") {
  const std::string slightly = R"(, "words": {"slightly": 0.1})";
  CHECK(order(">", around(10.5, 0.01), steady(10), slightly) == "met");
  CHECK(order(">", around(12, 0.01), steady(10), slightly) == "off");
  CHECK(order(">", around(9.9, 0.01), steady(10), slightly) == "off");
  CHECK(shape("monotone_increasing", {steady(10), around(10.5, 0.01)}, slightly) == "met");
  CHECK(shape("monotone_increasing", {steady(10), around(12, 0.01)}, slightly) == "off");
}

TEST_CASE("an order holds at every x, and a single value goes with each") {
  const Curve high{around(9, 0.1), around(5, 0.1)}, low{around(4, 0.1), around(4, 0.2)};
  const std::string a_and_b = R"({"id": "c", "paper": {"order": ["A", ">", "B"]}})";
  CHECK(judged(a_and_b, {high, low}) == "met");
  CHECK(judged(a_and_b, {low, high}) == "off");
  CHECK(judged(a_and_b, {high, {around(4, 0.1), around(5, 0.3)}}) == "1 of 2 paired differences cannot be told");
  CHECK(judged(R"({"id": "c", "paper": {"order": ["A", ">", "B", ">", "C"]}})", {high, low, low}) ==
        "off");  // B and C are the same
}

TEST_CASE("a curve may stay where it may not rise, within what counts as equal") {
  const std::string tenth = R"(, "tolerance": 0.1)";
  CHECK(shape("non_increasing", {steady(10), around(10.5, 0.01)}, tenth) == "met");
  CHECK(shape("non_increasing", {steady(10), around(11.5, 0.01)}, tenth) == "off");
  CHECK(shape("non_decreasing", {steady(10), around(9.5, 0.01)}, tenth) == "met");
  CHECK(shape("non_decreasing", {steady(10), around(8.5, 0.01)}, tenth) == "off");
  CHECK(shape("non_decreasing", {steady(10), steady(10)}) == "met, same");
}

TEST_CASE("a flat curve stays within its share below the largest mean") {
  const std::string tenth = R"(, "tolerance": 0.1)";
  CHECK(shape("flat", {around(9.2, 0.01), steady(10), around(9.9, 0.01)}, tenth) == "met");
  CHECK(shape("flat", {around(8.9, 0.01), steady(10), around(9.9, 0.01)}, tenth) == "off");
  CHECK(shape("flat", {around(9.1, 0.1), steady(10), steady(10)}, tenth) == "1 of 2 paired differences cannot be told");
}

TEST_CASE("a curve rises and then falls whatever a step at the top does, and not whatever another does") {
  const auto up = [](double middle) { return around(middle, 0.01); };
  CHECK(shape("rise_then_fall", {up(1), steady(3), up(2)}) == "met");
  CHECK(shape("rise_then_fall", {steady(1), up(3), around(3.1, 0.5), steady(1)}) == "met");
  CHECK(shape("rise_then_fall", {steady(1), around(1.1, 1), up(9), steady(1)}) ==
        "1 of 3 paired differences cannot be told");
  CHECK(shape("rise_then_fall", {up(1), steady(3), up(9)}) == "off");
  CHECK(shape("rise_then_fall", {up(1), steady(3), up(2), steady(3)}) == "off");
  CHECK(shape("rise_then_fall", {steady(1), steady(3), steady(3), steady(1)}) == "off, same");
  CHECK(shape("rise_then_fall", {steady(1), up(9), around(9.2, 0.25), around(9.1, 0.5), steady(1)}) ==
        "2 of 4 paired differences cannot be told");
  CHECK(shape("fall_then_rise", {up(3), steady(1), up(2)}) == "met");
  CHECK(shape("fall_then_rise", {up(1), steady(3), up(2)}) == "off");
}

TEST_CASE("where a shape ends is judged with it") {
  const std::string to_two = R"(, "to_value": 2, "within": 0.1)";
  CHECK(shape("monotone_increasing", {steady(1), around(2.1, 0.01)}, to_two) == "met");
  CHECK(shape("monotone_increasing", {steady(1), around(2.3, 0.01)}, to_two) == "off");
  CHECK(shape("monotone_increasing", {steady(1), around(1.7, 0.01)}, to_two) == "off");
  CHECK(shape("monotone_increasing", {steady(1), around(2.2, 0.01)}, to_two) ==
        "1 of 3 paired differences cannot be told");
}

TEST_CASE("a crossing is not judged by differences") {
  CHECK(judged(R"({"id": "c", "paper": {"crosses": 1, "between": [0, 1], "direction": "rising"}, "read": "A"})",
               {{steady(0), steady(2)}}) == "none");
}

}  // namespace claim_directions_test
