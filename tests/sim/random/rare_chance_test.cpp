#include "sim/random/rare_chance.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/sim/random/chi_square.hpp"

namespace rare_chance_test {

using racksim::sim::RandomStream;
using racksim::sim::RareChance;
using racksim::tests::chi_square;
using racksim::tests::chi_square_limit;

namespace {

/// How many of so many trials in a row succeed, by how many windows of trials had so many.
std::vector<std::uint64_t> successes_in_windows(double probability, std::uint64_t trials, std::uint64_t windows) {
  RandomStream random(7, "windows");
  RareChance chance;
  chance.set(probability, random);
  std::vector<std::uint64_t> seen(trials + 1);
  for (std::uint64_t window = 0; window < windows; ++window) {
    std::uint64_t successes = 0;
    for (std::uint64_t trial = 0; trial < trials; ++trial) successes += chance.happens(random);
    ++seen[successes];
  }
  return seen;
}

double binomial(std::uint64_t n, std::uint64_t k, double p) {
  double result = std::pow(p, static_cast<double>(k)) * std::pow(1 - p, static_cast<double>(n - k));
  for (std::uint64_t i = 0; i < k; ++i) result *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return result;
}

std::uint64_t failures_before_success(RareChance& chance, RandomStream& random) {
  std::uint64_t failures = 0;
  while (!chance.happens(random)) ++failures;
  return failures;
}

/// Whether these have the geometric distribution, by bins of a tenth of it each where p is small.
void check_geometric(const std::vector<std::uint64_t>& failures, double p) {
  std::vector<std::uint64_t> edges{0};
  for (int tenth = 1; tenth < 10; ++tenth) {
    const auto edge = static_cast<std::uint64_t>(std::ceil(std::log1p(-tenth / 10.0) / std::log1p(-p)));
    if (edge > edges.back()) edges.push_back(edge);
  }
  std::vector<std::uint64_t> observed(edges.size());
  std::vector<double> probability;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double until = i + 1 < edges.size() ? std::pow(1 - p, static_cast<double>(edges[i + 1])) : 0;
    probability.push_back(std::pow(1 - p, static_cast<double>(edges[i])) - until);
  }
  for (const std::uint64_t gap : failures) {
    std::size_t bin = 0;
    while (bin + 1 < edges.size() && gap >= edges[bin + 1]) ++bin;
    ++observed[bin];
  }
  CHECK(chi_square(observed, probability) < chi_square_limit(edges.size() - 1));
}

}  // namespace

TEST_CASE("Failures before a success have the geometric distribution") {
  for (const double p : {0.7, 0.2, 0.01, 1e-4}) {
    RandomStream random(1, "gaps");
    RareChance chance;
    chance.set(p, random);
    std::vector<std::uint64_t> failures;
    for (int i = 0; i < 20'000; ++i) failures.push_back(failures_before_success(chance, random));
    check_geometric(failures, p);
  }
}

TEST_CASE("Successes among so many trials have the binomial distribution, as if each trial had its draw") {
  constexpr std::uint64_t kTrials = 8;
  for (const double p : {0.6, 0.3}) {
    std::vector<double> probability;
    for (std::uint64_t k = 0; k <= kTrials; ++k) probability.push_back(binomial(kTrials, k, p));
    CHECK(chi_square(successes_in_windows(p, kTrials, 200'000), probability) < chi_square_limit(kTrials));
  }
}

TEST_CASE("What never happens does not, and what always happens does, without a draw") {
  RandomStream random(1, "bounds");
  RareChance untold, never, always;
  never.set(0, random);
  always.set(1, random);
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(untold.happens(random));
    CHECK_FALSE(never.happens(random));
    CHECK(always.happens(random));
  }
  CHECK(random.next() == RandomStream(1, "bounds").next());
}

TEST_CASE("A chance in 10^18 is no certainty") {
  RandomStream random(1, "least");
  RareChance chance;
  for (int i = 0; i < 1000; ++i) {
    chance.set(1e-18, random);
    CHECK_FALSE(chance.happens(random));
  }
}

TEST_CASE("A change of the probability holds from the next trial on, whatever was left of a gap") {
  RandomStream random(1, "changes");
  RareChance chance;
  std::vector<std::uint64_t> failures;
  for (int i = 0; i < 20'000; ++i) {
    chance.set(1e-6, random);
    chance.happens(random);
    chance.set(0.25, random);
    failures.push_back(failures_before_success(chance, random));
  }
  check_geometric(failures, 0.25);
}

TEST_CASE("A trial that fails takes no draw") {
  RandomStream random(1, "draws");
  RareChance chance;
  chance.set(0.001, random);
  RandomStream before = random;
  while (!chance.happens(random)) {
    RandomStream now = random;
    REQUIRE(now.next() == RandomStream(before).next());
  }
}

TEST_CASE("Trials that are sure to fail may be made at once and taken back: the others stay as they are") {
  RandomStream one_by_one(1, "draws"), at_once(1, "draws"), lengths(2, "lengths");
  RareChance plain, hasty;
  plain.set(0.05, one_by_one);
  hasty.set(0.05, at_once);
  for (int round = 0; round < 2'000; ++round) {
    const std::uint64_t ahead = hasty.failures_left(), made = lengths.below(ahead + 1);
    hasty.skip(ahead);
    hasty.take_back(ahead - made);
    for (std::uint64_t trial = 0; trial < made; ++trial) REQUIRE_FALSE(plain.happens(one_by_one));
    REQUIRE(plain.happens(one_by_one) == hasty.happens(at_once));
  }
}

}  // namespace rare_chance_test
