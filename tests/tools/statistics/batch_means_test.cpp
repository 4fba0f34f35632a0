// Batch means on series whose correlation is known.
#include "tools/statistics/batch_means.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/random/random.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace batch_means_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

/// x' = a * x + noise of mean 0, begun in the steady state nearly: correlated by `a` at a lag of one.
std::vector<double> autoregressive(std::size_t size, double a, std::uint64_t seed) {
  sim::RandomStream random(seed, "noise");
  std::vector<double> series;
  double x = 0;
  for (std::size_t i = 0; i < size + 1000; ++i) {
    x = a * x + random.unit() - 0.5;
    if (i >= 1000) series.push_back(x);
  }
  return series;
}

std::vector<SeriesPiece> pieces_of(const std::vector<double>& values) {
  std::vector<SeriesPiece> pieces;
  for (const double value : values) pieces.push_back({value, 1});
  return pieces;
}

}  // namespace

TEST_CASE("Von Neumann's ratio tells the correlation of an autoregressive series") {
  const double a = GENERATE(0.3, 0.6, 0.9);
  const auto series = autoregressive(20'000, a, 1);
  CHECK(lag_one_correlation(series) == Approx(a).margin(0.02));
  CHECK(is_correlated(lag_one_correlation(series), series.size()));
}

TEST_CASE("series that alternate are correlated the other way round, which widens no interval") {
  std::vector<double> series;
  for (int i = 0; i < 100; ++i) series.push_back(i % 2);
  CHECK(lag_one_correlation(series) == Approx(-0.98).margin(0.02));
  CHECK_FALSE(is_correlated(lag_one_correlation(series), series.size()));
}

TEST_CASE("white noise is taken for correlated in about one of 20 cases") {
  unsigned found = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    found += is_correlated(lag_one_correlation(autoregressive(100, 0, seed)), 100) ? 1 : 0;
  }
  CHECK(found >= 70);
  CHECK(found <= 130);
}

TEST_CASE("batches are doubled until their means are not correlated, and their interval then covers the mean") {
  unsigned covered = 0, as_if_independent = 0, judged = 0;
  constexpr unsigned kRuns = 500;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto series = autoregressive(1024, 0.8, seed);
    const auto result = batch_means(pieces_of(series));
    REQUIRE(result);
    const auto naive = mean_interval(series);
    as_if_independent += std::abs(naive->mean) <= *naive->half_width ? 1 : 0;
    CHECK(result->correlated == !result->half_width);
    if (!result->half_width) continue;
    ++judged;
    CHECK(result->batches <= 512);
    CHECK(result->mean == Approx(naive->mean).margin(1e-12));
    covered += std::abs(result->mean) <= *result->half_width ? 1 : 0;
  }
  CHECK(judged > 450);
  CHECK(covered > 0.88 * judged);  // the test of correlation is no proof of independence
  CHECK(as_if_independent < 0.6 * kRuns);
}

TEST_CASE("a series that is correlated from end to end has no interval") {
  std::vector<double> ramp;
  for (int i = 0; i < 1000; ++i) ramp.push_back(i);
  const auto result = batch_means(pieces_of(ramp));
  REQUIRE(result);
  CHECK(result->correlated);
  CHECK_FALSE(result->half_width);
  CHECK(result->batches >= kFewestBatches);
  CHECK(result->batches < 2 * kFewestBatches);
}

TEST_CASE("batches weigh what they hold") {
  std::vector<SeriesPiece> series;
  for (int i = 0; i < 20; ++i) series.push_back(i % 2 == 0 ? SeriesPiece{30, 3} : SeriesPiece{20, 1});
  CHECK(batch_means(series)->mean == Approx(50.0 / 4));
}

TEST_CASE("pieces without a weight are put together with their neighbours") {
  std::vector<SeriesPiece> series;
  for (int i = 0; i < 40; ++i) series.push_back(i % 2 == 0 ? SeriesPiece{6, 2} : SeriesPiece{});
  const auto result = batch_means(series);
  REQUIRE(result);
  CHECK(result->mean == 3);
  CHECK(result->batches == 20);
  CHECK(result->half_width == 0.0);
}

TEST_CASE("what is too short for ten batches with a weight tells nothing") {
  CHECK_FALSE(batch_means({}));
  CHECK_FALSE(batch_means(std::vector<SeriesPiece>(9, SeriesPiece{1, 1})));
  CHECK_FALSE(batch_means(std::vector<SeriesPiece>(1000)));
  std::vector<SeriesPiece> half(40, SeriesPiece{1, 1});
  for (std::size_t i = 20; i < 40; ++i) half[i] = {};
  CHECK_FALSE(batch_means(half));
}

}  // namespace batch_means_test
