// Claims that nothing speaks for or against.
#include "tools/figure/empty_claim.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace empty_claim_test {

using namespace racksim::tools;

namespace {

const double kNone = std::nan("");

/// Three x. B has the same run at all of them: the sweep does not touch it.
FigureAxes axes() {
  return {{{0, "0"}, {1, "1"}, {2, "2"}}, {"A", "B", "C"}, {"speed"}};
}
std::string verdict(const std::string& paper, const std::string& reading) {
  FigureValues values;
  values.of = {{{5}, {5}, {5}}, {{7}, {7}, {7}}, {{0}, {0}, {kNone}}};
  values.runs = {{"a0", "a1", "a2"}, {"b", "b", "b"}, {"c0", "c1", "c2"}};
  const std::string text = R"({"id": "c", "paper": )" + paper + R"(, "read": )" + reading + "}";
  const Claim claim = read_claim(parse_json(text, "t"), {"t", ""}, axes());
  const Verdict verdict = judge(claim, axes(), values);
  CHECK_FALSE((verdict.met && !verdict.unclear.empty()));
  return verdict.text(claim);
}

}  // namespace

TEST_CASE("a claim of 0 of 0, or of a point without a value, is unclear") {
  CHECK(verdict(R"({"max": 1})", R"({"ratio": [{"series": "C", "x": 0}, {"series": "C", "x": 1}]})") ==
        "unclear: 0 of 0");
  CHECK(verdict(R"({"order": [{"ratio": [{"series": "C", "x": 0}, {"series": "C", "x": 1}]}, ">", 1]})", "{}") ==
        "unclear: 0 of 0");
  CHECK(verdict(R"({"max": 1})", R"({"series": "C", "x": 2})") == "unclear: no value was read");
  CHECK(verdict(R"({"shape": "flat"})", R"({"series": "C"})") == "unclear: no value was read");
  // None of something is a value.
  CHECK(verdict(R"({"value": 0})", R"({"series": "C", "x": [0, 1]})") == "met");
  CHECK(verdict(R"({"value": 0})", R"({"ratio": ["C", "A"], "x": [0, 1]})") == "met");
}

TEST_CASE("an order of 0 and 0 is unclear where it would hold, and not met where it would not") {
  const std::string read = R"({"x": [0, 1]})";
  CHECK(verdict(R"({"order": ["C", "~", {"difference": ["A", 5]}]})", read) == "unclear: both sides are 0");
  CHECK(verdict(R"({"order": ["C", ">=", {"difference": ["A", 5]}]})", read) == "unclear: both sides are 0");
  CHECK(verdict(R"({"order": ["C", ">", {"difference": ["A", 5]}]})", read) == "not met");
  CHECK(verdict(R"({"order": ["A", ">=", "C"]})", read) == "met");
}

TEST_CASE("a series that the sweep does not touch is not flat, and shows nothing of a change") {
  const std::string untouched = "unclear: the sweep does not touch B";
  CHECK(verdict(R"({"shape": "flat"})", R"({"series": "B"})") == untouched);
  CHECK(verdict(R"({"shape": "non_decreasing"})", R"({"series": "B"})") == untouched);
  CHECK(verdict(R"({"shape": "flat"})", R"({"each": ["A", "B"]})") == untouched);
  CHECK(verdict(R"({"value": 1})", R"({"ratio": [{"series": "B", "x": 0}, {"series": "B", "x": 2}]})") == untouched);
  CHECK(verdict(R"({"order": [{"series": "B", "x": 0}, "~", {"series": "B", "x": 2}]})", "{}") == untouched);
  // A has other runs with the same values: it is flat.
  CHECK(verdict(R"({"shape": "flat"})", R"({"series": "A"})") == "met");
  // A change that is not there is not met.
  CHECK(verdict(R"({"shape": "monotone_increasing"})", R"({"series": "B"})") == "not met");
  // These are about other things than a change.
  CHECK(verdict(R"({"min": 6})", R"({"series": "B"})") == "met");
  CHECK(verdict(R"({"order": ["B", ">=", "A"]})", "{}") == "met");
}

TEST_CASE("the points of a figure over time are of one run, and no sweep") {
  FigureValues values;
  values.of = {{{5}, {5}, {5}}, {{7}, {7}, {7}}, {{0}, {0}, {0}}};
  const Claim claim =
      read_claim(parse_json(R"({"id": "c", "paper": {"shape": "flat"}, "read": "A"})", "t"), {"t", ""}, axes());
  CHECK(judge(claim, axes(), values).met);
}

}  // namespace empty_claim_test
