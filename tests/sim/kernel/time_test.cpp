// Durations and instants in picoseconds.
#include "sim/kernel/time.hpp"

#include <catch2/catch.hpp>

using namespace racksim::sim;

TEST_CASE("literals count picoseconds") {
  CHECK((1_ns).ps() == 1'000);
  CHECK((3_us).ps() == 3'000'000);
  CHECK((2_s).ps() == 2'000'000'000'000);
}

TEST_CASE("transmission time rounds up to the next picosecond") {
  // 64 bytes at 100 Gbit/s take exactly 5.12 ns; one bit at 3 bit/s takes a third of a second, rounded up.
  CHECK(transmission_time(64 * 8, 100'000'000'000).ps() == 5'120);
  CHECK(transmission_time(1, 3).ps() == 333'333'333'334);
}
