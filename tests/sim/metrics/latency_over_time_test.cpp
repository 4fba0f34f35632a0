// Latency by slots that double, against a list of all that was counted.
#include "sim/metrics/latency_over_time.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace latency_over_time_test {

using namespace racksim::sim;

TEST_CASE("slots that have doubled hold what slots of that width would have held from the beginning") {
  const auto last = GENERATE(std::int64_t{1'000}, 67'108'863, 67'108'864, 3'000'000'000'000);
  RandomStream random(1, "ends");
  std::map<std::int64_t, std::int64_t> all;  // by instant
  LatencyOverTime latency;
  for (int i = 0; i < 5000; ++i) {
    const auto at = i == 4999 ? last : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1));
    const auto took = static_cast<std::int64_t>(1 + random.below(std::uint64_t{1} << (10 + random.below(30))));
    if (!all.emplace(at, took).second) continue;
    latency.add(Time::from_ps(at), Duration::from_ps(took));
  }
  const std::int64_t width = latency.width().ps();
  CHECK(last / width < static_cast<std::int64_t>(LatencyOverTime::kSlots));
  CHECK((width == std::int64_t{1} << 20 || last / width >= static_cast<std::int64_t>(LatencyOverTime::kSlots / 2)));
  std::map<std::int64_t, std::vector<std::int64_t>> expected;
  for (const auto& [at, took] : all) expected[at / width].push_back(took);
  for (std::size_t slot = 0; slot < LatencyOverTime::kSlots; ++slot) {
    auto& of_slot = expected[static_cast<std::int64_t>(slot)];
    std::sort(of_slot.begin(), of_slot.end());
    REQUIRE(latency.count(slot) == of_slot.size());
    if (of_slot.empty()) {
      CHECK(latency.percentile(slot, 99) == Duration());
      continue;
    }
    for (const int percent : {1, 50, 99, 100}) {
      const std::size_t rank = (of_slot.size() * static_cast<std::size_t>(percent) + 99) / 100;
      const auto exact = static_cast<double>(std::max(of_slot[rank - 1], std::int64_t{1} << 10));
      // Half of an eighth of the power of two below it.
      CHECK(std::abs(static_cast<double>(latency.percentile(slot, percent).ps()) - exact) <= exact / 16);
    }
  }
}

TEST_CASE("durations that are shorter or longer than what is told apart are at its ends") {
  LatencyOverTime latency;
  latency.add({}, {});
  CHECK(latency.percentile(0, 50).ps() == 1024 + 64);
  latency.add({}, Duration::from_ps(std::int64_t{1} << 50));
  CHECK(latency.percentile(0, 100).ps() == (std::int64_t{31} << 38));
}

TEST_CASE("what ended before time zero is not counted") {
  LatencyOverTime latency;
  latency.add(Time::from_ps(-5), Duration::from_ps(5000));
  CHECK(latency.count(0) == 0);
}

}  // namespace latency_over_time_test
