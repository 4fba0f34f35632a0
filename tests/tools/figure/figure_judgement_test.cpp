// Verdicts over several seeds, of made-up values.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "tools/figure/figure_csv.hpp"
#include "tools/figure/figure_record.hpp"
#include "tools/figure/figure_report.hpp"

namespace figure_judgement_test {

using namespace racksim::tools;

namespace {

/// One series at two x; the runs' values at the second are these, at the first 1.
struct Runs {
  Figure figure;
  std::vector<PointResult> results;
  explicit Runs(const std::vector<double>& values) {
    figure.axes = {{{0, "0"}, {1, "1"}}, {"A"}, {"speed"}};
    figure.metric_names = {"throughput_mops"};
    figure.metric_units = {"Mops"};
    for (std::size_t i = 0; i < values.size(); ++i) figure.repeats.seeds.push_back(i + 1);
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t repeat = 0; repeat < values.size(); ++repeat) {
        auto& point = figure.points.emplace_back();
        point.sweep = x;
        point.repeat = repeat;
        auto& result = results.emplace_back();
        result.values = {x == 0 ? 1 : values[repeat]};
        result.hash = std::to_string(results.size());  // another run each time
        result.pass = true;
      }
    }
  }
  JudgedClaim judged(const std::string& paper, const std::string& read) {
    const std::string text = R"({"id": "c", "text": "C.", "paper": )" + paper + R"(, "read": )" + read + "}";
    figure.claims = {read_claim(parse_json(text, "t"), {"t", ""}, figure.axes)};
    return judge_claims(figure, results).at(0);
  }
};

const char* const kLast = R"({"series": "A", "x": 1})";

std::string number(const std::vector<double>& values, const std::string& paper = R"({"min": 0.5, "max": 2})") {
  return Runs(values).judged(paper, kLast).text;
}

}  // namespace

// Student's t is 12.706, 4.303 and 2.776 with one, two and four degrees of freedom (0.975, from a table).

TEST_CASE("a number is met if its interval lies inside, off if it lies outside, and unclear if it goes across") {
  // Mean 1 with a standard error of 0.0707: from 0.8037 to 1.1963.
  const std::vector<double> values{0.8, 0.9, 1, 1.1, 1.2};
  CHECK(number(values, R"({"min": 0.803, "max": 1.197})") == "met");
  CHECK(number(values, R"({"min": 0.804})") == "unclear: the 95 % interval goes across");
  CHECK(number(values, R"({"max": 1.196})") == "unclear: the 95 % interval goes across");
  CHECK(number(values, R"({"min": 0.85, "rounding": 0.047})") == "met");
  CHECK(number(values, R"({"max": 0.8})") == "off by 25 %");
  CHECK(number(values, R"({"min": 1.25})") == "off by 20 %");
  CHECK(number(values, R"({"max": 0.804})") == "unclear: the 95 % interval goes across");
  // All inside, and 1.1 with a half-width of 1.315 goes across; one outside, and 0.98 with one of 0.149 does not.
  CHECK(number({0.5, 1.3, 1.5}) == "unclear: the 95 % interval goes across");
  CHECK(number({0.49, 1, 1.1, 1, 0.9, 1, 1.1, 1, 0.9, 1.31}) == "met");
}

TEST_CASE("values that are equal have an interval of no width, on a bound too") {
  CHECK(number({2, 2}) == "met");
  CHECK(number({2.1, 2.1}) == "off by 5 %");
  CHECK(number({1.45, 1.45}, R"({"value": 1.4, "rounding": 0.05})") == "met");
}

TEST_CASE("a number that is infinite or missing is off if it is with every seed, and unclear with some") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(number({0.4, std::nan("")}) == "unclear: no value was read");
  CHECK(number({kInfinity, kInfinity}) == "off: infinite");
  CHECK(number({1, kInfinity}) == "unclear: the 95 % interval goes across");
  CHECK(number({1, kInfinity}, R"({"min": 0.5})") == "met");
  const char* const reaches = R"({"reaches": ["A", 5]})";
  CHECK(Runs({2, 3}).judged(R"({"max": 1})", reaches).text == "off: no value");
  CHECK(Runs({2, 6}).judged(R"({"max": 1})", reaches).text == "unclear: the 95 % interval goes across");
}

TEST_CASE("of several values all intervals must lie inside, and one that lies outside is enough to be off") {
  const std::string both = R"({"series": "A"})";
  CHECK(Runs({3, 3.01, 3.02}).judged(R"({"min": 2})", both).text == "off by 50 %");
  CHECK(Runs({3, 3.01, 3.02}).judged(R"({"min": 1})", both).text == "met");
  CHECK(Runs({3, 0.7}).judged(R"({"max": 2})", both).text == "unclear: the 95 % interval goes across");
}

TEST_CASE("up to a number: no interval goes beyond, and that of the largest value reaches nine tenths of it") {
  const auto judged = [](const std::vector<double>& values) {
    return Runs(values).judged(R"({"max": 2, "words": {"up to": 0.1}})", "\"A\"").text;
  };
  CHECK(judged({1.9, 1.91, 1.92}) == "met");
  CHECK(judged({1.6, 1.61, 1.62}) == "off by 11 %");
  CHECK(judged({1.79, 1.81, 1.83}) == "unclear: the 95 % interval goes across");  // 1.81 with a half-width of 0.0497
  CHECK(judged({2.11, 2.12, 2.13}) == "off by 6 %");
}

TEST_CASE("what several readings are with each seed stands beside each of them, with the largest half-width") {
  // The standard error of 2 and 3 is 0.5.
  CHECK(Runs({2, 3}).judged(R"({"min": 1})", R"({"each": [{"series": "A", "x": 1}, "A"]})").verdict.simulated ==
        "A: 2.5 ± 6.4 (2 | 3); A: 1 .. 2.5 ± 6.4 (1 .. 2 | 1 .. 3)");
  CHECK(Runs({0.8, 0.9, 1, 1.1, 1.2}).judged(R"({"min": 1})", kLast).verdict.simulated ==
        "1 ± 0.20 (0.8 | 0.9 | 1 | 1.1 | 1.2)");
  CHECK(Runs({2, 2}).judged(R"({"min": 1})", kLast).verdict.simulated == "2 ± 0 (2 | 2)");
  // No digits beyond those of the mean, but for one: 0.0994 and 0.00248.
  CHECK(Runs({10.36, 10.4, 10.44}).judged(R"({"min": 1})", kLast).verdict.simulated ==
        "10.4 ± 0.10 (10.36 | 10.4 | 10.44)");
  CHECK(Runs({1039, 1040, 1041}).judged(R"({"min": 1})", kLast).verdict.simulated == "1040 ± 2 (1039 | 1040 | 1041)");
  CHECK(Runs({103.999, 104, 104.001}).judged(R"({"min": 1})", kLast).verdict.simulated ==
        "104 ± 0.002 (104 | 104 | 104)");
  CHECK(Runs({2, std::nan("")}).judged(R"({"min": 1})", kLast).verdict.simulated == "none (2 | none)");
}

TEST_CASE("a direction is met if the paired difference is told from nothing, and off if it is on the other side") {
  const auto rises = [](const std::vector<double>& values) {
    return Runs(values).judged(R"({"shape": "monotone_increasing"})", "\"A\"");
  };
  CHECK(rises({1.4, 1.5, 1.6}).text == "met");  // 0.5 with a half-width of 0.248
  CHECK(rises({0.4, 0.5, 0.6}).text == "not met");
  const JudgedClaim between = rises({1.1, 1.2, 1.3});
  CHECK(between.text == "unclear: the 95 % interval of the paired difference goes across");
  CHECK_FALSE(between.verdict.met);
  CHECK(between.verdict.simulated == "1 1.2 (so in 3 of 3 seeds)");
  CHECK(rises({2, 2}).text == "met");
  CHECK(rises({2, 2}).verdict.simulated == "1 2 (so in 2 of 2 seeds, all the same)");
  CHECK(rises({1, 1}).text == "not met");
  CHECK(rises({1, std::nan("")}).text == "unclear: no value was read");
}

TEST_CASE("a crossing is judged by in how many runs it is there") {
  const auto crosses = [](const std::vector<double>& values) {
    return Runs(values).judged(R"({"crosses": 1.5, "between": [0, 1], "direction": "rising"})", "\"A\"");
  };
  CHECK(crosses({2, 3}).text == "met");
  CHECK(crosses({1.2, 1.3}).text == "not met");
  CHECK(crosses({2, 1.3, 2}).text == "unclear: met with 2 of 3 seeds");
  CHECK(crosses({2, 1.3, 2}).verdict.simulated == "1 1.767 (so in 2 of 3 seeds)");
}

TEST_CASE("a claim that holds of nothing in a run is unclear") {
  Runs runs({0, 0});
  for (PointResult& result : runs.results) result.values = {0};
  CHECK(runs.judged(R"({"value": 1})", R"({"ratio": [{"series": "A", "x": 0}, {"series": "A", "x": 1}]})").text ==
        "unclear: 0 of 0");
}

TEST_CASE("with placements beside the seeds a sample is a seed's mean over its placements") {
  // By seed and placement: 0.5 and 1.5, then 0.8 and 1.4: means of 1 and 1.1, whose half-width is 12.706 * 0.05.
  Runs runs({0.5, 1.5, 0.8, 1.4});
  runs.figure.repeats = {{1, 2}, {7, 8}};
  CHECK(runs.judged(R"({"min": 0.4})", kLast).verdict.simulated == "1.05 ± 0.64 (1 | 1.1)");
  CHECK(runs.judged(R"({"min": 0.4})", kLast).text == "met");
  // Placements alone are samples themselves.
  runs.figure.repeats = {{}, {5, 6, 7, 8}};
  CHECK_THAT(runs.judged(R"({"min": 0.4})", kLast).verdict.simulated, Catch::EndsWith("(0.5 | 1.5 | 0.8 | 1.4)"));
  runs.figure.repeats = {{1}, {5, 6, 7, 8}};
  CHECK_THAT(runs.judged(R"({"min": 0.4})", kLast).verdict.simulated, Catch::EndsWith("(0.5 | 1.5 | 0.8 | 1.4)"));
}

TEST_CASE("one run is judged as before, and what is told of seeds is how many") {
  CHECK(number({0.6}) == "met");
  CHECK(number({0.25}) == "off by 50 %");
  CHECK(Runs({0.6}).judged(R"({"min": 0.5})", kLast).verdict.simulated == "0.6");
  Runs runs({0.34, 0.61});
  runs.judged(R"({"min": 0.5})", kLast);
  CHECK_THAT(figure_text(runs.figure, runs.results),
             Catch::Contains("each point with 2 seeds") && Catch::Contains("0 of 1 claims met, 1 unclear"));
  CHECK_THAT(figure_csv(runs.figure, runs.results), Catch::StartsWith("x,series,seed,speed [Mops],speed mean [Mops],"));
  const JsonValue report = figure_json(runs.figure, runs.results);
  CHECK(*report.find("repeats")->string() == "2 seeds");
  CHECK(*report.find("claims")->elements()->at(0).find("unclear")->string() == "the 95 % interval goes across");
  const FigureRecord record = record_of(runs.figure, runs.results);
  CHECK(record.repeats.seeds == std::vector<std::uint64_t>{1, 2});
  CHECK(record.claims.at(0).unclear);
}

}  // namespace figure_judgement_test
