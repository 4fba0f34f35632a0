// Readings and verdicts on made-up series whose answers can be worked out by hand.
#include "tools/figure/figure_claim.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/tools/refusal.hpp"

namespace figure_claim_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// x = 0, 0.2, 0.6, 1; two metrics; A is twice B in the first, and shapes of all kinds in the second.
FigureAxes axes() {
  return {{{0, "0"}, {0.2, "0.2"}, {0.6, "0.6"}, {1, "1"}}, {"A", "B", "C"}, {"speed", "load"}};
}
FigureValues values() {
  const std::vector<std::vector<double>> speed{{80, 40, 20, 10}, {40, 20, 10, 4}, {1, 3, 2, 1}};
  const std::vector<std::vector<double>> load{{5, 5.2, 5.1, 5}, {0, 1, 2, 3}, {4, 1, std::nan(""), 8}};
  FigureValues values;
  for (std::size_t s = 0; s < 3; ++s) {
    values.of.emplace_back();
    for (std::size_t x = 0; x < 4; ++x) values.of[s].push_back({speed[s][x], load[s][x]});
  }
  return values;
}

std::vector<double> read(const std::string& text) {
  const FigureAxes names = axes();
  return values_of(read_reading(parse_json(text, "t"), {"t", ""}, names, top_scope(names)), names, values());
}

Claim claim_of(const std::string& paper, const std::string& reading) {
  const std::string text =
      R"({"id": "c", "paper": )" + paper + (reading.empty() ? "" : R"(, "read": )" + reading) + "}";
  return read_claim(parse_json(text, "t"), {"t", ""}, axes());
}
std::string verdict(const std::string& paper, const std::string& reading) {
  const Claim claim = claim_of(paper, reading);
  return judge(claim, axes(), values()).text(claim);
}

}  // namespace

TEST_CASE("a reading is a series, a ratio, a difference or an extreme, over the points asked for") {
  CHECK(read("3") == std::vector<double>{3});
  CHECK(read(R"({"series": "A", "metric": "speed"})") == std::vector<double>{80, 40, 20, 10});
  CHECK(read(R"({"series": "A", "metric": "speed", "x": 0.6})") == std::vector<double>{20});
  CHECK(read(R"({"series": "A", "metric": "speed", "x": [0.2, 1]})") == std::vector<double>{40, 10});
  CHECK(read(R"({"series": "A", "metric": "speed", "x": {"above": 0.2}})") == std::vector<double>{20, 10});
  CHECK(read(R"({"series": "A", "metric": "speed", "x": {"from": 0.2, "below": 1}})") == std::vector<double>{40, 20});
  CHECK(read(R"({"ratio": ["A", "B"], "metric": "speed"})") == std::vector<double>{2, 2, 2, 2.5});
  CHECK(read(R"({"ratio": ["A", {"series": "A", "x": 1}], "metric": "speed"})") == std::vector<double>{8, 4, 2, 1});
  CHECK(read(R"({"difference": ["A", "B"], "metric": "speed"})") == std::vector<double>{40, 20, 10, 6});
  CHECK(read(R"({"max": {"ratio": ["A", "B"]}, "metric": "speed"})") == std::vector<double>{2.5});
  CHECK(read(R"({"min": "B", "metric": "speed"})") == std::vector<double>{4});
  CHECK(read(R"({"mean": "B", "metric": "load"})") == std::vector<double>{1.5});
  CHECK(read(R"({"x_of_max": "C", "metric": "speed"})") == std::vector<double>{0.2});
  CHECK(read(R"({"reaches": ["B", 2], "metric": "load"})") == std::vector<double>{0.6});
  CHECK(read(R"({"reaches": ["A", {"min": "B"}], "metric": "speed"})") == std::vector<double>{0});
  CHECK(read(R"({"reaches": ["B", 0], "metric": "load", "x": {"from": 0.2}})") == std::vector<double>{0.2});
  CHECK(std::isnan(read(R"({"reaches": ["B", 3.5], "metric": "load"})")[0]));
  CHECK(std::isnan(read(R"({"reaches": ["C", 8], "metric": "load"})")[0]));
  CHECK(read(R"({"ratio": [{"max": "A", "metric": "load"}, {"max": "B", "metric": "speed"}]})") ==
        std::vector<double>{5.2 / 40});
}

TEST_CASE("where a curve passes a level lies on the straight line between two points, if it does so once") {
  // 80 at 0, 40 at 0.2: 50 is three quarters of the way.
  CHECK(read(R"({"falls_through": ["A", 50], "metric": "speed"})")[0] == Approx(0.15));
  // 10 at 0.6, 4 at 1: half of the way.
  CHECK(read(R"({"falls_through": ["B", 7], "metric": "speed"})")[0] == Approx(0.8));
  CHECK(read(R"({"falls_through": ["A", 40], "metric": "speed"})")[0] == Approx(0.2));
  CHECK(read(R"({"rises_through": ["B", 2.5], "metric": "load"})")[0] == Approx(0.8));
  CHECK(std::isnan(read(R"({"rises_through": ["A", 50], "metric": "speed"})")[0]));   // the other direction
  CHECK(std::isnan(read(R"({"falls_through": ["A", 5], "metric": "speed"})")[0]));    // never
  CHECK(std::isnan(read(R"({"rises_through": ["C", 1.5], "metric": "speed"})")[0]));  // and back: 1 3 2 1
  CHECK(std::isnan(read(R"({"falls_through": ["C", 3], "metric": "load"})")[0]));     // a point is missing
  CHECK(read(R"({"falls_through": [{"ratio": ["A", "B"]}, 1], "metric": "speed", "x": [0, 0.2]})").size() == 1);
  CHECK(verdict(R"({"order": [{"falls_through": ["B", 7]}, ">", {"falls_through": ["A", 50]}]})",
                R"({"metric": "speed"})") == "met");
  CHECK(verdict(R"({"order": [{"falls_through": ["A", 5]}, ">", 0]})", R"({"metric": "speed"})") == "not met");
}

TEST_CASE("a reading tells the series and the x that it is about, of each where they differ") {
  const FigureAxes names = axes();
  const auto place = [&](const char* text) {
    return read_reading(parse_json(text, "t"), {"t", ""}, names, top_scope(names)).place(names);
  };
  CHECK(place("3").empty());
  CHECK(place(R"({"series": "A", "metric": "speed"})") == "speed of A at 0 .. 1");
  CHECK(place(R"({"series": "A", "metric": "speed", "x": 0.6})") == "speed of A at 0.6");
  CHECK(place(R"({"series": "A", "metric": "speed", "x": [0, 0.6]})") == "speed of A at 0, 0.6");
  CHECK(place(R"({"series": "A", "metric": "speed", "x": [0, 0.2, 1]})") == "speed of A at 0, 0.2, 1");
  CHECK(place(R"({"max": {"ratio": ["A", "B"]}, "metric": "load", "x": {"above": 0}})") ==
        "load of A / load of B at 0.2 .. 1");
  CHECK(place(R"({"ratio": ["A", {"series": "B", "x": 1}], "metric": "speed"})") ==
        "speed of A at 0 .. 1 / speed of B at 1");
}

TEST_CASE("a number is met within the paper's rounding, else off by the distance to the nearest admissible value") {
  const std::string ratio = R"({"ratio": ["A", "B"], "metric": "speed"})";
  CHECK(verdict(R"({"min": 2, "max": 2.5})", ratio) == "met");
  CHECK(verdict(R"({"min": 2, "max": 2.4, "rounding": 0.1})", ratio) == "met");
  CHECK(verdict(R"({"max": 2})", ratio) == "off by 25 %");
  CHECK(verdict(R"({"min": 4})", ratio) == "off by 50 %");
  CHECK(verdict(R"({"min": 2.004})", ratio) == "off by 0.2 %");
  CHECK(verdict(R"({"value": 10})", R"({"series": "A", "metric": "speed", "x": 1})") == "met");
  // 20 against 15.5 to 16.5: 3.5 too much, of 16.5.
  CHECK(verdict(R"({"value": 16, "rounding": 0.5})", R"({"series": "A", "metric": "speed", "x": 0.6})") ==
        "off by 21 %");
  // The worst of the series counts.
  CHECK(verdict(R"({"max": 40})", R"({"each": ["B", "A"], "metric": "speed"})") == "off by 100 %");
}

TEST_CASE("a division by zero and a missing point are never met") {
  CHECK(verdict(R"({"value": 5})", R"({"max": {"ratio": ["A", "B"]}, "metric": "load"})") == "off: infinite");
  CHECK(verdict(R"({"min": 0})", R"({"series": "C", "metric": "load"})") == "unclear: no value was read");
  CHECK(verdict(R"({"min": 0})", R"({"max": "C", "metric": "load"})") == "unclear: no value was read");
  CHECK(verdict(R"({"shape": "flat", "tolerance": 9})", R"({"series": "C", "metric": "load"})") ==
        "unclear: no value was read");
  // What a curve never reaches is a value that is missing from the claim, not from the runs.
  CHECK(verdict(R"({"max": 1})", R"({"reaches": ["B", 9], "metric": "load"})") == "off: no value");
}

TEST_CASE("shapes") {
  const auto shape = [](const std::string& name, const std::string& series, const std::string& metric) {
    return verdict(R"({"shape": ")" + name + "\"}", R"({"series": ")" + series + R"(", "metric": ")" + metric + "\"}");
  };
  CHECK(shape("monotone_decreasing", "A", "speed") == "met");
  CHECK(shape("monotone_increasing", "A", "speed") == "not met");
  CHECK(shape("monotone_increasing", "B", "load") == "met");
  CHECK(shape("non_decreasing", "B", "load") == "met");
  CHECK(shape("non_increasing", "A", "load") == "not met");
  CHECK(shape("rise_then_fall", "C", "speed") == "met");
  CHECK(shape("rise_then_fall", "B", "load") == "not met");
  CHECK(shape("fall_then_rise", "C", "speed") == "not met");
  // 5 to 5.2: the spread is 3.85 % of the largest.
  CHECK(verdict(R"({"shape": "flat", "tolerance": 0.039})", R"({"series": "A", "metric": "load"})") == "met");
  CHECK(verdict(R"({"shape": "flat", "tolerance": 0.038})", R"({"series": "A", "metric": "load"})") == "not met");
  CHECK(verdict(R"({"shape": "non_increasing", "tolerance": 0.05})", R"({"series": "A", "metric": "load"})") == "met");
}

TEST_CASE("an order holds at every x, or where it is read") {
  CHECK(verdict(R"({"order": ["A", ">", "B", ">", "C"]})", R"({"metric": "speed"})") == "met");
  CHECK(verdict(R"({"order": ["B", ">", "A"]})", R"({"metric": "speed"})") == "not met");
  CHECK(verdict(R"({"order": ["A", ">", "B"]})", R"({"metric": "load"})") == "met");
  CHECK(verdict(R"({"order": ["B", "~", 20]})", R"({"metric": "speed", "x": 0.2})") == "met");
  CHECK(verdict(R"({"order": ["B", "~", 21], "tolerance": 0.04})", R"({"metric": "speed", "x": 0.2})") == "not met");
  CHECK(verdict(R"({"order": ["B", "~", 21], "tolerance": 0.05})", R"({"metric": "speed", "x": 0.2})") == "met");
  CHECK(verdict(R"({"order": ["B", ">=", "B"]})", R"({"metric": "speed"})") == "met");
}

TEST_CASE("a crossing happens once, between the two x, in the direction that the claim says") {
  const std::string ratio = R"({"ratio": [20, "A"], "metric": "speed"})";  // 0.25 0.5 1 2
  const std::string steep = R"({"series": "B", "metric": "load"})";        // 0 1 2 3
  const auto crosses = [](const char* level, const char* between, const char* direction, const std::string& reading) {
    return verdict(R"({"crosses": )" + std::string(level) + R"(, "between": )" + between + R"(, "direction": ")" +
                       direction + "\"}",
                   reading);
  };
  CHECK(crosses("1.5", "[0.2, 0.6]", "rising", steep) == "met");
  CHECK(crosses("1.5", "[0.2, 0.6]", "falling", steep) == "not met");
  CHECK(crosses("1.5", "[0.6, 1]", "rising", steep) == "not met");
  CHECK(crosses("2.5", "[0, 0.2]", "rising", steep) == "not met");  // later, and once
  CHECK(crosses("2.5", "[0.2, 0.6]", "rising", steep) == "not met");
  CHECK(crosses("9", "[0.2, 0.6]", "rising", steep) == "not met");
  CHECK(crosses("1", "[0.2, 1]", "rising", ratio) == "met");
  CHECK(crosses("1", "[0.2, 0.6]", "rising", ratio) == "not met");  // it only touches 1 there
  CHECK(crosses("30", "[0.2, 0.6]", "falling", R"({"series": "A", "metric": "speed"})") == "met");
  const std::string there_and_back = R"({"series": "C", "metric": "speed"})";  // 1 3 2 1
  CHECK(crosses("2", "[0, 0.2]", "rising", there_and_back) == "not met");
  // Between 0 and 1 it rises through 1.5 and falls through it again.
  CHECK(crosses("1.5", "[0, 1]", "rising", there_and_back) == "not met");
  // C and four times A over B, 9 11 10 11: it ends above 10.5, but goes through it three times.
  const std::string zigzag =
      R"({"difference": ["C", {"difference": [0, {"ratio": ["A", {"ratio": ["B", 4]}]}]}], "metric": "speed"})";
  CHECK(read(zigzag) == std::vector<double>{9, 11, 10, 11});
  CHECK(crosses("10.5", "[0, 1]", "rising", zigzag) == "not met");
  // 40 20 10 4 less 1 3 2 1: it falls through 15 once, and what lies between the two x counts too: 39 17 8 3.
  CHECK(crosses("15", "[0, 1]", "falling", R"({"difference": ["B", "C"], "metric": "speed"})") == "met");
}

TEST_CASE("a lead by less than what counts as equal is unclear") {
  const std::string speed = R"({"metric": "speed", "x": [0, 0.2]})";  // B 40 20, C 1 3
  const std::string tie = "unclear: within 5 %, which counts as equal";
  CHECK(verdict(R"({"order": ["B", ">", {"difference": ["B", 1]}]})", speed) == "met");
  CHECK(verdict(R"({"order": ["B", ">", {"difference": ["B", 1]}], "tolerance": 0.05})", speed) == tie);
  CHECK(verdict(R"({"order": ["B", ">", {"difference": ["B", 5]}], "tolerance": 0.05})", speed) == "met");
  CHECK(verdict(R"({"order": [{"difference": ["B", 1]}, ">", "B"], "tolerance": 0.05})", speed) == "not met");
  const std::string steep = R"({"series": "B", "metric": "load"})";  // 0 1 2 3
  const auto crosses = [&](const char* level) {
    return verdict(R"({"crosses": )" + std::string(level) +
                       R"(, "between": [0.2, 0.6], "direction": "rising", "tolerance": 0.05})",
                   steep);
  };
  CHECK(crosses("1.5") == "met");
  CHECK(crosses("1.04") == tie);
  CHECK(crosses("1.96") == tie);
}

TEST_CASE("a curve may be told where to end") {
  const std::string falls = R"({"series": "A", "metric": "speed"})";  // 80 40 20 10
  const auto to = [&](const char* end) {
    return verdict(R"({"shape": "monotone_decreasing", "to_value": )" + std::string(end) + "}", falls);
  };
  CHECK(to("10") == "met");
  CHECK(to("9.8") == "not met");
  CHECK(to(R"(9.8, "within": 0.05)") == "met");
  CHECK(to(R"(1, "within": 0.05)") == "not met");
  CHECK(claim_of(R"({"shape": "flat", "to_value": 1, "within": 0.05})", falls).paper.text ==
        "flat to 1 (within 5 %, chosen)");
}

TEST_CASE("claims say of which kind they are") {
  CHECK(claim_of(R"({"shape": "flat"})", R"({"series": "A", "metric": "speed"})").directional());
  CHECK_FALSE(claim_of(R"({"value": 1})", R"({"series": "A", "metric": "speed"})").directional());
}

TEST_CASE("a bad claim is refused with its place and the nearest name") {
  const auto refused = [](const std::string& paper, const std::string& reading) {
    return refusal([&] { claim_of(paper, reading); });
  };
  const std::string good = R"({"series": "A", "metric": "speed"})";
  CHECK(refused(R"({"valeu": 1})", good) ==
        R"(t: /paper: found no expectation, expected one of "value", "min", "max", "shape", "order" or "crosses")");
  CHECK_THAT(refused(R"({"value": 1, "tolerance": 1})", good), Catch::Contains("/paper/tolerance"));
  CHECK_THAT(refused(R"({"value": "1"})", good), Catch::Contains("/paper/value: found the string \"1\""));
  CHECK_THAT(refused(R"({"min": 2, "max": 1})", good), Catch::Contains("min above max"));
  CHECK_THAT(refused(R"({"shape": "flatt"})", good), Catch::Contains("did you mean \"flat\"?"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"series": "A", "metric": "sped"})"),
             Catch::Contains("/read/metric") && Catch::Contains("did you mean \"speed\"?"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"ratoi": ["A", "B"]})"), Catch::Contains("did you mean \"ratio\"?"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"ratio": ["A"]})"), Catch::Contains("an array of two readings"));
  CHECK_THAT(refused(R"({"value": 1})", R"("A")"), Catch::Contains("a series without a metric"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"series": "D", "metric": "speed"})"), Catch::Contains("/read/series"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"series": "A", "metric": "speed", "x": 0.3})"), Catch::Contains("/read/x"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"series": "A", "metric": "speed", "x": {"above": 1}})"),
             Catch::Contains("a range without a point"));
  CHECK_THAT(refused(R"({"value": 1})", R"({"max": {"max": "A"}, "metric": "speed"})"),
             Catch::Contains("a single value"));
  CHECK_THAT(refused(R"({"value": 1})",
                     R"({"ratio": [{"series": "A", "x": [0, 1]}, {"series": "B", "x": [0, 0.2]}], "metric": "speed"})"),
             Catch::Contains("readings at different x"));
  CHECK_THAT(refused(R"({"shape": "flat"})", R"({"series": "A", "metric": "speed", "x": 1})"),
             Catch::Contains("a reading with one value"));
  CHECK_THAT(refused(R"({"order": ["A", ">"]})", R"({"metric": "speed"})"), Catch::Contains("/paper/order"));
  CHECK_THAT(refused(R"({"order": ["A", "<", "B"]})", R"({"metric": "speed"})"), Catch::Contains("/paper/order/1"));
  CHECK_THAT(refused(R"({"value": 1})", ""), Catch::Contains("no \"read\""));
  CHECK(refused(R"({"crosses": 1, "between": [0, 1]})", good) ==
        R"(t: /paper: found no "direction", expected "direction": "falling" or "rising")");
  CHECK_THAT(refused(R"({"crosses": 1, "between": [0, 1], "direction": "fallng"})", good),
             Catch::Contains("did you mean \"falling\"?"));
  CHECK_THAT(refused(R"({"shape": "flat", "within": 0.1})", good), Catch::Contains("/paper/within"));
}

}  // namespace figure_claim_test
