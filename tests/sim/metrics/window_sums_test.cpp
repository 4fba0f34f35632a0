// Windows that double, against a list of all that was counted.
#include "sim/metrics/window_sums.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"

namespace window_sums_test {

using namespace racksim::sim;

TEST_CASE("windows that have doubled hold what windows of that width would have held from the beginning") {
  const auto last = GENERATE(std::int64_t{1'000}, 67'108'863, 67'108'864, 1'000'000'000, 3'000'000'000'000);
  RandomStream random(1, "ends");
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  WindowSums sums;
  for (int i = 0; i < 5000; ++i) {
    const auto at = i == 4999 ? last : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1));
    all.emplace_back(at, static_cast<std::int64_t>(random.below(1'000'000)));
  }
  std::sort(all.begin(), all.end());
  for (const auto& [at, took] : all) sums.add(Time::from_ps(at), Duration::from_ps(took));
  const std::int64_t width = sums.width().ps();
  CHECK(last / width < static_cast<std::int64_t>(WindowSums::kWindows));
  CHECK((width == 65'536 || last / width >= static_cast<std::int64_t>(WindowSums::kWindows / 2)));
  std::map<std::int64_t, WindowSums::Window> expected;
  for (const auto& [at, took] : all) {
    ++expected[at / width].count;
    expected[at / width].took_ps += static_cast<std::uint64_t>(took);
  }
  for (std::size_t i = 0; i < WindowSums::kWindows; ++i) {
    const auto& window = expected[static_cast<std::int64_t>(i)];
    CHECK(sums.windows()[i].count == window.count);
    CHECK(sums.windows()[i].took_ps == window.took_ps);
  }
}

TEST_CASE("what ends a little out of order is in its window") {
  WindowSums sums;
  sums.add(Time::from_ps(1'000'000'000), Duration::from_ps(5));
  sums.add(Time::from_ps(10), Duration::from_ps(7));
  CHECK(sums.windows()[0].count == 1);
  CHECK(sums.windows()[0].took_ps == 7);
}

TEST_CASE("before time zero nothing is counted, and widens nothing") {
  WindowSums sums;
  const Duration first = sums.width();
  sums.add(Time::from_ps(-1), Duration::from_ps(5));
  CHECK(sums.width() == first);
  for (const WindowSums::Window& window : sums.windows()) CHECK(window.count == 0);
}

TEST_CASE("the end of time has a window") {
  WindowSums sums;
  sums.add(Time::max(), Duration::from_ps(5));
  CHECK(std::accumulate(sums.windows().begin(), sums.windows().end(), std::uint64_t{0},
                        [](std::uint64_t sum, const auto& window) { return sum + window.count; }) == 1);
}

}  // namespace window_sums_test
