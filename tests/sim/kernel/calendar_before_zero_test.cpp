// A calendar may begin before zero, for warm-up: what happens there happens in order, and afterwards it is as if the
// calendar had begun at zero.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/kernel/calendar.hpp"
#include "sim/random/random.hpp"

namespace calendar_before_zero_test {

using namespace racksim::sim;

namespace {

struct Noted {
  explicit Noted(Time start) : calendar({}, start), lane(calendar.add_lane("lane")) {}
  void note(std::uint64_t id) { seen.emplace_back(calendar.now().ps(), id); }
  void at(std::int64_t ps, std::uint64_t id) { calendar.at<&Noted::note>(Time::from_ps(ps), lane, *this, id); }

  Calendar calendar;
  Lane lane;
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;
};

constexpr std::int64_t kStart = -1'000'000'000'000;

}  // namespace

TEST_CASE("events before, at and after zero are executed in the order of their instants") {
  RandomStream random(3, "before zero");
  Noted n(Time::from_ps(kStart));
  std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
  for (std::uint64_t id = 0; id < 2000; ++id) {
    // Near the start, near zero, and far behind it.
    const std::int64_t from[] = {kStart, -5'000, 0, 40'000'000'000};
    const std::int64_t ps = from[random.below(4)] + static_cast<std::int64_t>(random.below(10'000));
    expected.emplace_back(ps, id);
    n.at(ps, id);
  }
  std::sort(expected.begin(), expected.end());
  n.calendar.run_until();
  CHECK(n.seen == expected);
}

TEST_CASE("what is scheduled after a skip to zero is executed at its instant") {
  const auto ps = GENERATE(as<std::int64_t>{}, 0, 1, 100'000, 5'000'000, 20'000'000'000, 3'000'000'000'000);
  Noted n(Time::from_ps(kStart));
  n.at(kStart + 7, 1);
  n.calendar.run_until(Time::from_ps(kStart + 10));
  n.calendar.skip_to(Time{});
  CHECK(n.calendar.now() == Time{});
  CHECK_FALSE(n.calendar.has_passed(Time{}, n.lane));
  n.at(ps, 2);
  n.at(ps + 1, 3);
  REQUIRE(n.calendar.run_one(Time::from_ps(ps)));
  REQUIRE(n.seen.size() == 2);
  CHECK(n.seen[1] == std::pair(ps, std::uint64_t{2}));
}

TEST_CASE("time does not skip over an event, nor back") {
  Noted n(Time::from_ps(kStart));
  n.at(-3, 1);
  CHECK_THROWS_WITH(n.calendar.skip_to(Time{}), Catch::Contains("an event is due at -3 ps"));
  n.calendar.run_until(Time::from_ps(-2));
  n.calendar.skip_to(Time{});
  CHECK_THROWS_WITH(n.calendar.skip_to(Time::from_ps(-1)), Catch::Contains("cannot skip to -1 ps"));
}

}  // namespace calendar_before_zero_test
