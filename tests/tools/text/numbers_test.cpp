// Numbers and lengths of time as people read them.
#include "tools/text/numbers.hpp"

#include <catch2/catch.hpp>

namespace numbers_test {

using namespace racksim::tools;

TEST_CASE("a number is shown by four digits, or whole, and never with an exponent") {
  CHECK(shown_number(0) == "0");
  CHECK(shown_number(-0.0) == "0");
  CHECK(shown_number(1e15) == "1000000000000000");
  CHECK(shown_number(188100.4) == "188100");
  CHECK(shown_number(999.96) == "1000");
  CHECK(shown_number(123.456) == "123.5");
  CHECK(shown_number(32) == "32");
  CHECK(shown_number(2.3349) == "2.335");
  CHECK(shown_number(0.26413) == "0.2641");
  CHECK(shown_number(0.000012345) == "0.00001234");
  CHECK(shown_number(-2.5) == "-2.5");
}

TEST_CASE("a length of time has the unit that leaves fewer than four digits before the point") {
  CHECK(shown_duration(0) == "0 ns");
  CHECK(shown_duration(0.5) == "0.5 ns");
  CHECK(shown_duration(341) == "341 ns");
  CHECK(shown_duration(999.94) == "999.9 ns");
  CHECK(shown_duration(999.96) == "1 us");
  CHECK(shown_duration(3254) == "3.254 us");
  CHECK(shown_duration(999'960) == "1 ms");
  CHECK(shown_duration(10'162'000) == "10.16 ms");
  CHECK(shown_duration(2.5e9) == "2.5 s");
  CHECK(shown_duration(12'345e9) == "12345 s");
}

TEST_CASE("a share is shown in percent") {
  CHECK(shown_percent(0.29634) == "29.63 %");
  CHECK(shown_percent(1) == "100 %");
}

}  // namespace numbers_test
