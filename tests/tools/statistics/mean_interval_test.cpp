// Intervals against a worked example, and against a queue whose mean is known in closed form.
#include "tools/statistics/mean_interval.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "sim/random/random.hpp"

namespace mean_interval_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

constexpr double kMicrosecond = 1e6;  // in picoseconds

/// The mean time that customers of an M/M/1 queue wait, by Lindley's recursion, with the streams that one seed gives. It
/// begins in the steady state, so that the mean of no length is off: the first one waits for nobody if the queue is empty.
double mean_wait(std::uint64_t seed, double load, std::size_t customers) {
  sim::RandomStream arrivals(seed, "client/arrivals"), services(seed, "server/service");
  const auto service = sim::Duration::from_ps(static_cast<std::int64_t>(kMicrosecond));
  const auto gap = sim::Duration::from_ps(static_cast<std::int64_t>(kMicrosecond / load));
  const auto residual = sim::Duration::from_ps(static_cast<std::int64_t>(kMicrosecond / (1 - load)));
  double wait = arrivals.chance(load) ? static_cast<double>(services.exponential(residual).ps()) : 0, sum = 0;
  for (std::size_t i = 0; i < customers; ++i) {
    sum += wait;
    wait =
        std::max(0.0, wait + static_cast<double>(services.exponential(service).ps() - arrivals.exponential(gap).ps()));
  }
  return sum / static_cast<double>(customers);
}

}  // namespace

TEST_CASE("a 95 % interval over seeds covers the mean wait of an M/M/1 queue in 93 to 97 of 100 replications") {
  const double load = GENERATE(0.3, 0.5);
  const std::size_t seeds = GENERATE(std::size_t{5}, std::size_t{10});
  const double truth = load / (1 - load) * kMicrosecond;
  constexpr std::size_t kReplications = 1000;
  std::size_t covered = 0;
  for (std::size_t replication = 0; replication < kReplications; ++replication) {
    std::vector<double> waits;
    for (std::size_t i = 0; i < seeds; ++i) waits.push_back(mean_wait(replication * seeds + i, load, 1000));
    const auto interval = mean_interval(waits);
    covered += std::abs(interval->mean - truth) <= *interval->half_width ? 1 : 0;
  }
  CHECK(covered >= 930);
  CHECK(covered <= 970);
}

TEST_CASE("an interval is the mean and Student's quantile times the standard error") {
  // Mean 5, sample variance 20 / 3: t(0.975) with three degrees of freedom is 3.182.
  const auto interval = mean_interval({2, 4, 6, 8});
  REQUIRE(interval);
  CHECK(interval->count == 4);
  CHECK(interval->mean == 5);
  CHECK(interval->least == 2);
  CHECK(interval->most == 8);
  CHECK(*interval->half_width == Approx(3.182 * std::sqrt(20.0 / 3 / 4)).epsilon(0.0002));
  CHECK(*interval->relative() == Approx(*interval->half_width / 5));
  CHECK_FALSE(interval->equal());
}

TEST_CASE("values that are equal have an interval of no width around exactly that value") {
  const auto interval = mean_interval({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  REQUIRE(interval);
  CHECK(interval->equal());
  CHECK(interval->mean == 0.1);
  CHECK(interval->half_width == 0.0);
  CHECK(interval->relative() == 0.0);
  CHECK(mean_interval({0, 0})->relative() == 0.0);
}

TEST_CASE("one value has a mean and no interval") {
  const auto interval = mean_interval({7});
  REQUIRE(interval);
  CHECK(interval->mean == 7);
  CHECK_FALSE(interval->half_width);
  CHECK_FALSE(interval->relative());
  CHECK_FALSE(interval->equal());
}

TEST_CASE("no value has no mean") {
  CHECK_FALSE(mean_interval({}));
}

TEST_CASE("an interval around 0 has no width as a share of it") {
  CHECK_FALSE(mean_interval({-1, 1})->relative());
  CHECK(*mean_interval({-2, -4})->relative() > 0);
}

}  // namespace mean_interval_test
