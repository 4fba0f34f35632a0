// MSER-5 on series whose transient is known, and against the definition computed term by term.
#include "tools/statistics/truncation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sim/random/random.hpp"

namespace truncation_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

/// `level` of an index, with noise that is uniform within a half to either side.
template <class Level>
std::vector<double> noisy(std::size_t size, std::uint64_t seed, const Level& level) {
  sim::RandomStream random(seed, "noise");
  std::vector<double> series;
  for (std::size_t i = 0; i < size; ++i) series.push_back(level(static_cast<double>(i)) + random.unit() - 0.5);
  return series;
}

/// The cut as the definition has it: a mean and a sum of squares for each.
std::size_t by_definition(const std::vector<double>& series) {
  std::vector<double> means;
  for (std::size_t i = 0; i + 5 <= series.size(); i += 5) {
    means.push_back((series[i] + series[i + 1] + series[i + 2] + series[i + 3] + series[i + 4]) / 5);
  }
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t cut = 0; cut + 5 <= means.size(); ++cut) {
    const auto count = static_cast<double>(means.size() - cut);
    double mean = 0, squares = 0;
    for (std::size_t i = cut; i < means.size(); ++i) mean += means[i] / count;
    for (std::size_t i = cut; i < means.size(); ++i) squares += (means[i] - mean) * (means[i] - mean);
    if (squares / (count * count) < least) {
      least = squares / (count * count);
      best = cut;
    }
  }
  return best * 5;
}

}  // namespace

TEST_CASE("MSER-5 finds where a level falls") {
  const std::uint64_t seed = GENERATE(range(1, 6));
  const auto cut = mser5(noisy(1000, seed, [](double i) { return i < 300 ? 4.0 : 1.0; }));
  REQUIRE(cut);
  CHECK(cut->values >= 300);
  CHECK(cut->values <= 400);
  CHECK_FALSE(cut->too_short);
}

TEST_CASE("MSER-5 leaves out what matters of a decay") {
  const std::uint64_t seed = GENERATE(range(1, 6));
  // Within the noise of a mean of five from about three to five time constants on.
  const auto cut = mser5(noisy(1000, seed, [](double i) { return 1 + 10 * std::exp(-i / 50); }));
  REQUIRE(cut);
  CHECK(cut->values >= 150);
  CHECK(cut->values <= 350);
}

TEST_CASE("MSER-5 is the least of its definition") {
  const std::uint64_t seed = GENERATE(range(1, 11));
  const auto series = noisy(333, seed, [](double i) { return i < 60 ? i / 60 : 1.0; });
  CHECK(mser5(series)->values == by_definition(series));
}

TEST_CASE("nothing is left out of a series that is level") {
  const auto cut = mser5(std::vector<double>(500, 0.1));
  REQUIRE(cut);
  CHECK(cut->values == 0);
  CHECK_FALSE(cut->too_short);
}

TEST_CASE("a series that settles in its second half, or never, is too short to tell") {
  CHECK(mser5(noisy(1000, 1, [](double i) { return i < 700 ? 4.0 : 1.0; }))->too_short);
  CHECK(mser5(noisy(1000, 1, [](double i) { return i / 10; }))->too_short);
}

TEST_CASE("noise alone is rarely called too short") {
  unsigned too_short = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    too_short += mser5(noisy(1000, seed, [](double) { return 1.0; }))->too_short;
  CHECK(too_short <= 10);
}

TEST_CASE("fewer than twenty means of five show nothing") {
  CHECK_FALSE(mser5({}));
  CHECK_FALSE(mser5(std::vector<double>(99, 1)));
  CHECK(mser5(std::vector<double>(100, 1)));
}

}  // namespace truncation_test
