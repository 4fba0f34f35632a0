// Verdicts over several seeds, of made-up values.
#include <catch2/catch.hpp>
#include <cmath>
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
    figure.repeats = {"seed", "seed", {}};
    for (std::size_t i = 0; i < values.size(); ++i) figure.repeats.values.push_back(i + 1);
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

TEST_CASE(
    "a number is met if its range over the seeds lies inside, unclear if it goes across, off if it lies outside") {
  CHECK(number({0.5, 0.6, 2}) == "met");
  CHECK(number({0.34, 0.61, 0.63, 0.38, 0.65}) == "unclear: met with 3 of 5 seeds");
  CHECK(number({1, 1, 1, 1, 2.1}) == "unclear: met with 4 of 5 seeds");
  // The mean of 0.2 and 0.3 is 0.25, half of what is asked for.
  CHECK(number({0.2, 0.3}) == "off by 50 %");
  // Below with one and above with the other: the range goes across.
  CHECK(number({0.4, 3}) == "unclear: met with 0 of 2 seeds");
  CHECK(number({0.4, std::nan("")}) == "unclear: no value was read");
}

TEST_CASE("a mean that would do is not enough") {
  CHECK(number({0.9, 1.1}, R"({"value": 1, "rounding": 0.05})") == "unclear: met with 0 of 2 seeds");
}

TEST_CASE("a claim of several values is off if one of them is outside with every seed") {
  const std::string both = R"({"series": "A"})";
  CHECK(Runs({3, 0.7}).judged(R"({"min": 2})", both).text == "off by 50 %");
  CHECK(Runs({3, 0.7}).judged(R"({"max": 2})", both).text == "unclear: met with 1 of 2 seeds");
}

TEST_CASE("what several readings are with each seed stands beside each of them") {
  CHECK(Runs({2, 3}).judged(R"({"min": 1})", R"({"each": [{"series": "A", "x": 1}, "A"]})").verdict.simulated ==
        "A: 2.5 (2 | 3); A: 1 .. 2.5 (1 .. 2 | 1 .. 3)");
}

TEST_CASE("where the mean's interval lies is told beside the verdict, which does not rest on it") {
  const auto judged = [](const std::vector<double>& values, const char* paper = R"({"min": 0.5, "max": 2})") {
    return Runs(values).judged(paper, kLast);
  };
  // Means 1 and 1.1 with half-widths of 0.20 (t 2.776, standard error 0.07) and 1.31 (t 4.303, standard error 0.31).
  CHECK(judged({0.8, 0.9, 1, 1.1, 1.2}).interval == "inside");
  CHECK(judged({0.5, 1.3, 1.5}).interval == "across");
  CHECK(judged({0.5, 1.3, 1.5}).text == "met");
  CHECK(judged({1, 1.5, 1.9}, R"({"max": 2})").interval == "across");
  CHECK(judged({0.6, 1, 1.5}, R"({"min": 0.5})").interval == "across");
  CHECK(judged({2.9, 3, 3.1}).interval == "outside");
  CHECK(judged({0.1, 0.11}).interval == "outside");
  // Many seeds around a mean that is well inside: the range goes across, and the interval does not.
  const JudgedClaim many = judged({0.4, 1, 1.1, 1, 0.9, 1, 1.1, 1, 0.9, 1});
  CHECK(many.interval == "inside");
  CHECK(many.text == "unclear: met with 9 of 10 seeds");
  CHECK(judged({1.02, 1.03, 1.04}, R"({"value": 1, "rounding": 0.1})").interval == "inside");
  CHECK(judged({1, 1, 1}, R"({"max": 1})").interval == "inside");
  CHECK(judged({1}).interval.empty());
  CHECK(judged({1, std::nan("")}).interval.empty());
  CHECK(Runs({2, 3}).judged(R"({"shape": "monotone_increasing"})", "\"A\"").interval.empty());
  Runs runs({0.8, 0.9, 1, 1.1, 1.2});
  runs.judged(R"({"min": 0.5})", kLast);
  CHECK_THAT(figure_text(runs.figure, runs.results), Catch::Contains("(95 % intervals of the means: inside)"));
  CHECK(*figure_json(runs.figure, runs.results).find("claims")->elements()->front().find("interval")->string() ==
        "inside");
}

TEST_CASE("a direction is met with every seed, off with none, and unclear between") {
  const auto rises = [](const std::vector<double>& values) {
    return Runs(values).judged(R"({"shape": "monotone_increasing"})", "\"A\"");
  };
  CHECK(rises({2, 3}).text == "met");
  CHECK(rises({0.5, 0.2}).text == "not met");
  const JudgedClaim between = rises({2, 0.5, 3});
  CHECK(between.text == "unclear: met with 2 of 3 seeds");
  CHECK_FALSE(between.verdict.met);
  CHECK(between.verdict.simulated == "1 1.833 (so in 2 of 3 seeds)");
}

TEST_CASE("one run is judged as before, and what is told of seeds is how many") {
  CHECK(number({0.6}) == "met");
  CHECK(number({0.25}) == "off by 50 %");
  Runs runs({0.34, 0.61});
  CHECK(runs.judged(R"({"min": 0.5})", kLast).verdict.simulated == "0.475 (0.34 | 0.61)");
  CHECK_THAT(figure_text(runs.figure, runs.results),
             Catch::Contains("each point with 2 seeds") && Catch::Contains("0 of 1 claims met, 1 unclear"));
  CHECK_THAT(figure_csv(runs.figure, runs.results), Catch::StartsWith("x,series,seed,speed [Mops],speed mean [Mops],"));
  const JsonValue report = figure_json(runs.figure, runs.results);
  CHECK(*report.find("repeats")->string() == "2 seeds");
  CHECK(*report.find("claims")->elements()->at(0).find("unclear")->string() == "met with 1 of 2 seeds");
  const FigureRecord record = record_of(runs.figure, runs.results);
  CHECK(record.repeats == "2 seeds");
  CHECK(record.claims.at(0).unclear);
}

}  // namespace figure_judgement_test
