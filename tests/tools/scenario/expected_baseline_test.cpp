// `expect.baseline` and `expect.violation` are read, refused and written back.
#include "tools/scenario/expected_baseline.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tools/scenario/scenario_parts.hpp"

namespace expected_baseline_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const std::vector<racksim::models::OracleEntry> kOracles{{.name = "single-writer", .doc = ""},
                                                         {.name = "data-value", .doc = ""}};

Expectations read(const std::string& json) {
  return read_expectations(parse_json(json, "f"), {"f", "/expect"}, kOracles);
}
std::string refuse(const std::string& json) {
  return refusal([&] { read(json); });
}

}  // namespace

TEST_CASE("a tolerance in per cent is taken of the stored value and one in units is absolute") {
  const Tolerance two_per_cent{"m", 2, true}, ten{"m", 10, false};
  CHECK(two_per_cent.met(100, 102));
  CHECK(two_per_cent.met(100, 98));
  CHECK_FALSE(two_per_cent.met(100, 102.5));
  CHECK_FALSE(two_per_cent.met(100, 97.5));
  CHECK(two_per_cent.met(-100, -101));
  CHECK(two_per_cent.met(0, 0));
  CHECK_FALSE(two_per_cent.met(0, 1e-9));
  CHECK(ten.met(0, 10));
  CHECK_FALSE(ten.met(100, 111));
}

TEST_CASE("a baseline is asked for in one of three ways and written back as it was") {
  for (const char* text : {R"({"baseline":"exact"})", R"({"baseline":"none"})",
                           R"({"baseline":{"latency_ns.p99":"2.5%","packets.created":10.0}})",
                           R"({"baseline":"exact","verdict":"fail","violation":"data-value"})"}) {
    CHECK(to_canonical_json(write_expectations(read(text))) == text);
  }
  CHECK(read("{}").baseline.comparison == ExpectedBaseline::Comparison::usual);
  const auto asked = read(R"({"baseline": {"a": "0.5%", "b": 3}})").baseline;
  REQUIRE(asked.tolerances.size() == 2);
  CHECK((asked.tolerances[0].allowed == 0.5 && asked.tolerances[0].per_cent));
  CHECK((asked.tolerances[1].allowed == 3 && !asked.tolerances[1].per_cent));
}

TEST_CASE("a mistake in a baseline is one line with its place") {
  CHECK(refuse(R"({"baseline": "exakt"})") ==
        "f: /expect/baseline: found the string \"exakt\", expected \"exact\", \"none\" or an object of metrics with a "
        "tolerance each (did you mean \"exact\"?)");
  CHECK_THAT(refuse(R"({"baseline": {}})"), Catch::StartsWith("f: /expect/baseline: found an empty object"));
  CHECK_THAT(refuse(R"({"baseline": 3})"), Catch::StartsWith("f: /expect/baseline: found the number 3"));
  for (const char* wrong : {"\"2\"", "\"%\"", "\"-1%\"", "\"1e3%\"", "\"1001%\"", "\"nan%\"", "\"2%%\"", "\" 2%\"",
                            "-1", "true", "\"inf%\""}) {
    INFO(wrong);
    CHECK_THAT(refuse(std::string(R"({"baseline": {"a/b": )") + wrong + "}}"),
               Catch::StartsWith("f: /expect/baseline/a~1b: found") && Catch::Contains("\"0%\" to \"1000%\""));
  }
}

TEST_CASE("a violation expected means a verdict of fail and must be one that can be found") {
  CHECK(read(R"({"violation": "single-writer"})").pass == false);
  CHECK(read(R"({"violation": "stall"})").violation == "stall");
  CHECK_THAT(refuse(R"({"violation": "single-writter"})"),
             Catch::StartsWith("f: /expect/violation: found the string \"single-writter\"") &&
                 Catch::Contains("did you mean \"single-writer\"?"));
  CHECK_THAT(refuse(R"({"violation": "stall", "verdict": "pass"})"), Catch::StartsWith("f: /expect/verdict: found"));
}

}  // namespace expected_baseline_test
