// Paired differences and Holm's correction against worked examples.
#include "tools/statistics/paired_comparison.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "sim/random/random.hpp"

namespace paired_comparison_test {

using namespace racksim;
using namespace racksim::tools;

TEST_CASE("a paired comparison is an interval of the differences and the t-test's probability") {
  // Differences 1 to 5: mean 3, standard error sqrt(2.5 / 5), t = 4.243 with four degrees of freedom.
  const auto comparison = compare_pairs({10, 20, 30, 40, 50}, {11, 22, 33, 44, 55});
  REQUIRE(comparison);
  CHECK(comparison->difference.mean == 3);
  CHECK(*comparison->difference.half_width == Approx(2.776 * std::sqrt(0.5)).epsilon(0.0002));
  CHECK(*comparison->probability == Approx(0.01324).margin(0.00001));
}

TEST_CASE("what seeds do to both sides alike does not widen the difference") {
  sim::RandomStream random(1, "pairs");
  std::vector<double> a, b;
  for (int i = 0; i < 10; ++i) {
    const double common = 100 * random.unit();
    a.push_back(common + random.unit());
    b.push_back(common + 2 + random.unit());
  }
  CHECK(*compare_pairs(a, b)->difference.half_width < 1);
  CHECK(*mean_interval(a)->half_width > 10);
  CHECK(*compare_pairs(a, b)->probability < 0.001);
}

TEST_CASE("pairs that are equal are told from pairs that all differ by the same") {
  const auto equal = compare_pairs({1, 2, 3}, {1, 2, 3}), shifted = compare_pairs({1, 2, 3}, {3, 4, 5});
  CHECK(equal->difference.equal());
  CHECK(equal->difference.mean == 0);
  CHECK(equal->probability == 1.0);
  CHECK(shifted->difference.equal());
  CHECK(shifted->difference.mean == 2);
  CHECK(shifted->probability == 0.0);
}

TEST_CASE("one pair has a difference and no probability, and none has nothing") {
  CHECK(compare_pairs({1}, {4})->difference.mean == 3);
  CHECK_FALSE(compare_pairs({1}, {4})->probability);
  CHECK_FALSE(compare_pairs({}, {}));
  CHECK_THROWS_AS(compare_pairs({1, 2}, {1}), std::logic_error);
}

TEST_CASE("Holm's correction gives the worked example's probabilities") {
  // By rank 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04, which is not below the one before it.
  const auto adjusted = holm_adjusted({0.01, 0.04, 0.03, 0.005});
  REQUIRE(adjusted.size() == 4);
  CHECK(adjusted[0] == Approx(0.03));
  CHECK(adjusted[1] == Approx(0.06));
  CHECK(adjusted[2] == Approx(0.06));
  CHECK(adjusted[3] == Approx(0.02));
}

TEST_CASE("Holm's correction leaves one comparison as it is, and no probability above 1") {
  CHECK(holm_adjusted({0.04}) == std::vector<double>{0.04});
  CHECK(holm_adjusted({}).empty());
  CHECK(holm_adjusted({0.6, 0.7}) == std::vector<double>{1, 1});
}

TEST_CASE("of ten comparisons without a difference one is found significant in no more than one of 20 cases") {
  sim::RandomStream random(3, "null");
  unsigned found = 0;
  constexpr unsigned kCases = 1000;
  for (unsigned i = 0; i < kCases; ++i) {
    std::vector<double> probabilities;
    for (unsigned comparison = 0; comparison < 10; ++comparison) {
      std::vector<double> a, b;
      for (int pair = 0; pair < 8; ++pair) {
        a.push_back(random.unit());
        b.push_back(random.unit());
      }
      probabilities.push_back(*compare_pairs(a, b)->probability);
    }
    bool significant = false;
    for (const double adjusted : holm_adjusted(probabilities)) significant = significant || adjusted <= kSignificance;
    found += significant ? 1 : 0;
  }
  CHECK(found >= 25);  // the correction is no stricter than need be, where comparisons are independent
  CHECK(found <= 70);  // 5 % and three standard deviations
}

}  // namespace paired_comparison_test
