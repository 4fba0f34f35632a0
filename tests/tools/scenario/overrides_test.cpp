// `--set path=value` replaces one value of a document.
#include "tools/scenario/overrides.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"

namespace overrides_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

std::string after(std::string_view json, const std::string& text) {
  auto document = parse_json(json, "f");
  apply_override(document, parse_override(text));
  return to_canonical_json(document);
}

}  // namespace

TEST_CASE("an override sets members, elements and what lies on the way") {
  CHECK(after(R"({"a": {"b": 1}})", "a.b=2") == R"({"a":{"b":2}})");
  CHECK(after(R"({"a": 1})", "b.c=true") == R"({"a":1,"b":{"c":true}})");
  CHECK(after(R"({"a": [1, {"b": 2}]})", "a.1.b=3") == R"({"a":[1,{"b":3}]})");
  CHECK(after(R"({"a": [1]})", "a.1=2") == R"({"a":[1,2]})");
  CHECK(after(R"({"a": {"b": 1}})", "a=[]") == R"({"a":[]})");
  CHECK(after("{}", "/latency_ns.p99/max=5") == R"({"latency_ns.p99":{"max":5}})");
  CHECK(after("{}", "/a~1b/c~0=1") == R"({"a/b":{"c~":1}})");
}

TEST_CASE("the value is JSON, or else a string") {
  CHECK(after("{}", "a=10ms") == R"({"a":"10ms"})");
  CHECK(after("{}", "a=0.5") == R"({"a":0.5})");
  CHECK(after("{}", "a=\"5\"") == R"({"a":"5"})");
  CHECK(after("{}", "a=") == R"({"a":""})");
  CHECK(after("{}", "a=x=y") == R"({"a":"x=y"})");
}

TEST_CASE("overrides that lead nowhere are refused") {
  CHECK_THAT(refusal([] { parse_override("seed"); }), Catch::Contains("path=value"));
  CHECK_THAT(refusal([] { parse_override("=1"); }), Catch::Contains("path=value"));
  CHECK_THAT(refusal([] { parse_override("a..b=1"); }), Catch::Contains("empty name"));
  CHECK_THAT(refusal([] { parse_override("/=1"); }), Catch::Contains("empty name"));
  CHECK(refusal([] { after(R"({"seed": 1})", "seed.x=2"); }) ==
        "--set seed.x=2: /seed: found the number 1, expected an object with a member \"x\"");
  CHECK_THAT(refusal([] { after(R"({"a": [1]})", "a.2=1"); }), Catch::Contains("a whole number from 0 to 1"));
  CHECK_THAT(refusal([] { after(R"({"a": [1]})", "a.x=1"); }), Catch::Contains("a whole number from 0 to 1"));
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  CHECK_THAT(refusal([&] { after("{}", deep + "=1"); }), Catch::Contains("fewer than 64"));
}

TEST_CASE("text of overrides is printable, as that of files is") {
  const std::string expected = ", expected text in UTF-8 without control characters";
  CHECK(refusal([] { parse_override("doc=\x1b[31m"); }) ==
        "--set doc=\\u001b[31m: /: found the control character \\u001b" + expected);
  CHECK(refusal([] { parse_override(R"(name="\n")"); }) ==
        R"(--set name="\n": /name: found the control character \u000a)" + expected);
  CHECK_THAT(refusal([] { parse_override("a\xff=1"); }), Catch::Contains("the byte \\xff, which is no UTF-8"));
  CHECK_THAT(refusal([] { parse_override(R"(faults=[{"\u0000": 1}])"); }), Catch::Contains("/faults/0/"));
}

TEST_CASE("an override concerns what it set, what holds it and what it holds") {
  const auto override_ = parse_override("a.b=1");
  CHECK(concerns(override_, "/a/b"));
  CHECK(concerns(override_, "/a/b/c"));
  CHECK(concerns(override_, "/a"));
  CHECK_FALSE(concerns(override_, "/a/bc"));
  CHECK_FALSE(concerns(override_, "/c"));
  CHECK_FALSE(concerns(override_, ""));
}

}  // namespace overrides_test
