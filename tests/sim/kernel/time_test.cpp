// Durations and instants in picoseconds.
#include "sim/kernel/time.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

namespace time_test {

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

namespace {
__extension__ using Wide = __int128;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                       kLeast = std::numeric_limits<std::int64_t>::min();

/// The nearest that the range holds to an exact result.
std::int64_t nearest(Wide exact) {
  if (exact > kMost) return kMost;
  return exact < kLeast ? kLeast : static_cast<std::int64_t>(exact);
}
}  // namespace

TEST_CASE("sums, differences and multiples of times stop at the ends of the range") {
  for (const std::int64_t a : {kLeast, kLeast + 1, kLeast / 2, std::int64_t{-7}, std::int64_t{0}, std::int64_t{1},
                               std::int64_t{3'000'000'000}, kMost / 2, kMost / 2 + 1, kMost - 1, kMost}) {
    for (const std::int64_t b : {kLeast, kLeast + 1, kLeast / 2, std::int64_t{-4'000'000'000}, std::int64_t{-1},
                                 std::int64_t{0}, std::int64_t{2}, kMost / 2 + 1, kMost}) {
      INFO("a = " << a << ", b = " << b);
      const Duration da = Duration::from_ps(a), db = Duration::from_ps(b);
      const Time ta = Time::from_ps(a), tb = Time::from_ps(b);
      CHECK((da + db).ps() == nearest(Wide{a} + b));
      CHECK((da - db).ps() == nearest(Wide{a} - b));
      CHECK((da * b).ps() == nearest(Wide{a} * b));
      CHECK((b * da).ps() == nearest(Wide{a} * b));
      CHECK((ta + db).ps() == nearest(Wide{a} + b));
      CHECK((ta - db).ps() == nearest(Wide{a} - b));
      CHECK((ta - tb).ps() == nearest(Wide{a} - b));
      CHECK((-da).ps() == nearest(-Wide{a}));
    }
  }
}

TEST_CASE("what is never plus a timeout is never, and no frame takes longer than the range") {
  CHECK(Time::max() + 1_us == Time::max());
  CHECK(Time{} + Duration::max() == Time::max());
  CHECK(Duration::max() * 2 == Duration::max());
  CHECK(transmission_time(kMost, 1) == Duration::max());
}

}  // namespace time_test
