// Counts and levels per interval of time.
#include "sim/metrics/time_series.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace metrics_time_series_test {

using namespace racksim::sim;

TEST_CASE("an event counts in the interval that begins at or before it") {
  TimeSeries series(10_ns);
  series.add(Time());
  series.add(Time::from_ps(9'999));
  series.add(Time::from_ps(10'000));
  series.add(Time::from_ps(35'000), 5);
  CHECK(series.values() == std::vector<std::uint64_t>{2, 1, 0, 5});
  series.add(Time::from_ps(25'000));
  CHECK(series.values() == std::vector<std::uint64_t>{2, 1, 1, 5});
  CHECK(series.interval() == 10_ns);
}

TEST_CASE("a time series refuses an interval that makes no sense") {
  CHECK_THROWS_AS(TimeSeries(0_ps), std::runtime_error);
  TimeSeries fine(1_ns);
  CHECK_THROWS_WITH(fine.add(Time::from_ps(1'000'000'000'000)), Catch::Contains("longer"));
}

TEST_CASE("a level lasts until the next one is set") {
  TimeSeries series(10_ns);
  series.set(Time::from_ps(15'000), 7);  // and before
  CHECK(series.values() == std::vector<std::uint64_t>{7, 7});
  series.set(Time::from_ps(18'000), 8);
  series.set(Time::from_ps(44'000), 3);
  CHECK(series.values() == std::vector<std::uint64_t>{7, 8, 8, 8, 3});
}

}  // namespace metrics_time_series_test
