// Quantities with units convert exactly.
#include "tools/text/units.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace units_test {

using namespace racksim::tools;
using namespace racksim::sim::literals;

namespace {

template <class Parse>
std::string refusal(Parse parse, const char* text) {
  try {
    parse(text);
  } catch (const UnitError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("sizes take decimal and binary units") {
  CHECK(parse_size("64B") == 64);
  CHECK(parse_size("4KiB") == 4096);
  CHECK(parse_size("8GB") == 8'000'000'000);
  CHECK(parse_size("1GiB") == 1'073'741'824);
  CHECK(parse_size("1.5KiB") == 1536);
  CHECK(parse_size("0B") == 0);
}

TEST_CASE("lengths are exact picoseconds, where a double would round") {
  CHECK(parse_length("10ms") == 10_ms);
  CHECK(parse_length("1.5us") == 1500_ns);
  CHECK(parse_length("0.1us") == 100_ns);
  CHECK(parse_length("0.000000000001s") == 1_ps);
  CHECK(parse_length("9007199254740993ps").ps() == 9007199254740993);  // 2^53 + 1
  CHECK(parse_length("1000.000000000001s").ps() == 1'000'000'000'000'001);
  CHECK(parse_length("2.50000000000000000000000ns").ps() == 2500);
}

TEST_CASE("rates are bits per second") {
  CHECK(parse_rate("100Gbps") == 100'000'000'000);
  CHECK(parse_rate("6.4Tbps") == 6'400'000'000'000);
  CHECK(parse_rate("9600bps") == 9600);
}

TEST_CASE("what is not a whole picosecond or byte is refused") {
  CHECK_THAT(refusal(parse_length, "0.0001ns"), Catch::Contains("whole number of picoseconds"));
  CHECK_THAT(refusal(parse_size, "0.3B"), Catch::Contains("whole number of bytes"));
  CHECK_THAT(refusal(parse_size, "0.1KiB"), Catch::Contains("whole number of bytes"));
  CHECK_THAT(refusal(parse_length, "0.0000000000000000000000001s"), Catch::Contains("whole number of picoseconds"));
}

TEST_CASE("texts that are no quantity are refused with an example and the units") {
  for (const char* text :
       {"", "ms", "10", "10 ms", "10msec", "-1ms", "+1ms", ".5ms", "1.ms", "1e3ms", "1,5ms", "10MS"}) {
    CAPTURE(text);
    CHECK(refusal(parse_length, text) == "a length of time such as \"10ms\" (units: ps ns us ms s)");
  }
  CHECK_THAT(refusal(parse_size, "4kib"), Catch::Contains("KiB"));
  CHECK_THAT(refusal(parse_rate, "100GBps"), Catch::Contains("Gbps"));
}

TEST_CASE("values of 2^63 and more are refused, not wrapped") {
  CHECK(parse_size("9223372036854775807B") == 9'223'372'036'854'775'807);
  CHECK_THAT(refusal(parse_size, "9223372036854775808B"), Catch::Contains("below 2^63"));
  CHECK_THAT(refusal(parse_size, "99999999999999999999999999B"), Catch::Contains("below 2^63"));
  CHECK_THAT(refusal(parse_length, "9223373s"), Catch::Contains("below 2^63"));
}

TEST_CASE("formatting picks a short exact text") {
  CHECK(format_size(4096) == "4KiB");
  CHECK(format_size(8'000'000'000) == "8GB");
  CHECK(format_size(0) == "0B");
  CHECK(format_size(1001) == "1001B");
  CHECK(format_length(10_ms) == "10ms");
  CHECK(format_length(1500_ns) == "1500ns");
  CHECK(format_length(0_ns) == "0ps");
  CHECK(format_rate(100'000'000'000) == "100Gbps");
}

TEST_CASE("what is formatted parses back to the same value") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const auto value = (random() >> 1U) >> (random() % 63);
    const auto length = racksim::sim::Duration::from_ps(static_cast<std::int64_t>(value));
    REQUIRE(parse_size(format_size(value)) == value);
    REQUIRE(parse_length(format_length(length)) == length);
    REQUIRE(parse_rate(format_rate(value)) == value);
  }
}

}  // namespace units_test
