// Zipf ranks against the exact distribution: rank by rank for a thousand keys, in groups for hundreds of millions.
#include "sim/random/zipf.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/sim/random/chi_square.hpp"

namespace zipf_test {

using namespace racksim::sim;
using racksim::tests::chi_square;
using racksim::tests::chi_square_limit;

namespace {

/// The sum of k^-theta for first <= k <= last: term by term where that is short, else Euler-Maclaurin up to the first
/// derivative, whose error is below 1e-14 relative from k = 1000 on.
double mass(std::uint64_t first, std::uint64_t last, double theta) {
  double sum = 0;
  for (; first <= last && first < 1000; ++first) sum += std::pow(static_cast<double>(first), -theta);
  if (first > last) return sum;
  const auto a = static_cast<double>(first), b = static_cast<double>(last);
  const double integral =
      theta == 1 ? std::log(b / a) : (std::pow(b, 1 - theta) - std::pow(a, 1 - theta)) / (1 - theta);
  const double ends = (std::pow(a, -theta) + std::pow(b, -theta)) / 2;
  const double slopes = theta * (std::pow(a, -theta - 1) - std::pow(b, -theta - 1)) / 12;
  return sum + integral + ends + slopes;
}

/// Draws `draws` ranks and tests them against the exact masses of the groups that end at `last` (ascending, ends with
/// n).
void check_distribution(double theta, const std::vector<std::uint64_t>& last, int draws) {
  const auto n = last.back();
  const Zipf zipf(n, theta);
  RandomStream random(2024, "zipf");
  std::vector<std::uint64_t> observed(last.size());
  for (int i = 0; i < draws; ++i) {
    const auto rank = zipf(random);
    if (rank < 1 || rank > n) FAIL("rank " << rank << " of " << n);
    ++observed[static_cast<std::size_t>(std::lower_bound(last.begin(), last.end(), rank) - last.begin())];
  }
  std::vector<double> probability;
  std::uint64_t first = 1;
  double total = 0;
  for (const auto end : last) {
    probability.push_back(mass(first, end, theta));
    total += probability.back();
    first = end + 1;
  }
  for (auto& p : probability) p /= total;
  INFO("theta " << theta << ", n " << n);
  CHECK(chi_square(observed, probability) < chi_square_limit(last.size() - 1));
}

}  // namespace

TEST_CASE("the reference mass agrees with a plain sum") {
  for (const double theta : {0.0, 0.5, 0.99, 1.0, 1.2}) {
    double sum = 0;
    for (int k = 500; k <= 200'000; ++k) sum += std::pow(k, -theta);
    CHECK(mass(500, 200'000, theta) == Approx(sum).epsilon(1e-11));
  }
}

TEST_CASE("Zipf over a thousand keys has the exact distribution") {
  std::vector<std::uint64_t> each(1000);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = i + 1;
  for (const double theta : {0.0, 0.5, 0.9, 0.99, 1.0, 1.2, 2.0}) {
    // At theta 2 the tail is too thin for bins of one rank.
    check_distribution(theta, theta < 2 ? each : std::vector<std::uint64_t>{1, 2, 3, 4, 5, 8, 16, 64, 256, 1000},
                       1'000'000);
  }
}

TEST_CASE("Zipf over 250 million keys has the exact distribution") {
  constexpr std::uint64_t kKeys = 250'000'000;
  for (const double theta : {0.5, 0.9, 0.99, 1.0, 1.2}) {
    // The hottest ranks one by one, then groups that grow by a half, as long as they expect a few draws.
    std::vector<std::uint64_t> last;
    const double total = mass(1, kKeys, theta);
    std::uint64_t begin = 1;
    for (std::uint64_t end = 1; end < kKeys; end = end < 20 ? end + 1 : end + end / 2) {
      if (mass(begin, end, theta) / total * 500'000 < 20) continue;
      last.push_back(end);
      begin = end + 1;
    }
    last.push_back(kKeys);
    check_distribution(theta, last, 500'000);
  }
}

TEST_CASE("Zipf at theta 0 is uniform over 250 million keys") {
  std::vector<std::uint64_t> last;
  for (std::uint64_t i = 1; i <= 100; ++i) last.push_back(i * 2'500'000);
  check_distribution(0, last, 500'000);
}

TEST_CASE("Zipf draws single ranks evenly in the far tail") {
  // Neighbouring ranks have equal probability there, so the parity and the last digit of the rank are uniform.
  const Zipf zipf(4'000'000'000, 0.99);
  RandomStream random(3, "tail");
  std::vector<std::uint64_t> digits(10);
  for (int i = 0; i < 500'000; ++i) {
    const auto rank = zipf(random);
    if (rank > 1'000'000) ++digits[rank % 10];
  }
  CHECK(chi_square(digits, std::vector<double>(10, 0.1)) < chi_square_limit(9));
}

TEST_CASE("Zipf with one key always draws it") {
  RandomStream random(3, "one");
  for (const double theta : {0.0, 0.99, 1.0, 2.0}) {
    const Zipf zipf(1, theta);
    for (int i = 0; i < 1000; ++i) REQUIRE(zipf(random) == 1);
  }
}

// Inverting by hand, at theta = 0 the integral is x - 1: rank = round(1 + high - u (high - low)) with high = n - 1/2
// and low = -1/2, which is round(n + 1/2 - n u), and nothing is ever rejected. The other ranks come from the same
// Python script as the stream's known answers, with the textbook integrals, its math.log and math.exp, and no
// acceptance shortcut.
TEST_CASE("the first ranks of a known stream are known") {
  const Zipf uniform(1000, 0);
  RandomStream draws(42, "node3/workload"), units(42, "node3/workload");
  for (int i = 0; i < 6; ++i) {
    CHECK(uniform(draws) == static_cast<std::uint64_t>(std::floor(1000 + 1 - 1000 * units.unit())));
  }
  const auto check_first = [](std::uint64_t n, double theta, const std::vector<std::uint64_t>& ranks) {
    const Zipf zipf(n, theta);
    RandomStream random(42, "node3/workload");
    for (const auto rank : ranks) CHECK(zipf(random) == rank);
  };
  check_first(1000, 1, {17, 114, 5, 98, 121, 36, 1, 4});
  check_first(250'000'000, 0.99, {8190, 1153480, 322, 790067, 1346509, 57511, 4, 157});
  check_first(250'000'000, 1, {4995, 775640, 210, 522657, 911903, 35382, 3, 106});
}

TEST_CASE("Zipf refuses what it cannot draw") {
  CHECK_THROWS_AS(Zipf(0, 0.99), std::runtime_error);
  CHECK_THROWS_AS(Zipf((std::uint64_t{1} << 50) + 1, 0.99), std::runtime_error);
  CHECK_THROWS_WITH(Zipf(10, -0.1), Catch::Contains("-0.1"));
  CHECK_THROWS_AS(Zipf(10, 2.1), std::runtime_error);
}

TEST_CASE("the expected number of different ranks is that which draws show") {
  RandomStream random(7, "distinct");
  for (const double theta : {0.0, 0.5, 0.99, 1.2, 2.0}) {
    for (const std::uint64_t n : {1u, 10u, 1000u, 100'000u}) {
      for (const unsigned draws : {0u, 1u, 100u, 20'000u}) {
        const Zipf zipf(n, theta);
        std::set<std::uint64_t> seen;
        for (unsigned i = 0; i < draws; ++i) seen.insert(zipf(random));
        INFO("theta " << theta << ", " << draws << " draws of " << n);
        // Its standard deviation is below the root of it.
        const double expected = expected_distinct(n, theta, draws);
        CHECK(std::abs(expected - static_cast<double>(seen.size())) <= 0.7 + 4 * std::sqrt(expected));
        if (theta == 0 && draws > 0) {
          const double left = std::pow(1 - 1 / static_cast<double>(n), draws);
          CHECK(expected == Approx(static_cast<double>(n) * (1 - left)).epsilon(0.06).margin(0.4));
        }
      }
    }
  }
}

}  // namespace zipf_test
