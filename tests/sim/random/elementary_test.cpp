// The portable logarithm and exponential, against libm within a few units in the last place.
#include "sim/random/elementary.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sim/random/random.hpp"

namespace elementary_test {

using namespace racksim::sim;

namespace {

/// The distance of two doubles in units in the last place of the expected one.
double ulps(double actual, double expected) {
  if (actual == expected) return 0;
  const double ulp = std::nextafter(std::fabs(expected), std::numeric_limits<double>::infinity()) - std::fabs(expected);
  return std::fabs(actual - expected) / ulp;
}

}  // namespace

TEST_CASE("portable_log agrees with libm over all magnitudes and around 1") {
  RandomStream random(1, "log");
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double magnitude = std::ldexp(0.5 + random.unit(), static_cast<int>(random.below(2000)) - 1000);
    worst = std::max(worst, ulps(portable_log(magnitude), std::log(magnitude)));
    const double near_one = 1 + (random.unit() - 0.5) * std::ldexp(1.0, -static_cast<int>(random.below(50)));
    worst = std::max(worst, ulps(portable_log(near_one), std::log(near_one)));
  }
  CHECK(worst <= 2);
  CHECK(portable_log(1) == 0);
  CHECK(ulps(portable_log(0x1p-1070), std::log(0x1p-1070)) <= 2);
  CHECK(portable_log(0) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(portable_log(-1)));
}

TEST_CASE("portable_exp agrees with libm over its whole range") {
  RandomStream random(1, "exp");
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double wide = (random.unit() - 0.5) * 1400;
    const double narrow = (random.unit() - 0.5) * std::ldexp(1.0, 2 - static_cast<int>(random.below(50)));
    worst = std::max({worst, ulps(portable_exp(wide), std::exp(wide)), ulps(portable_exp(narrow), std::exp(narrow))});
  }
  CHECK(worst <= 2);
  CHECK(portable_exp(0) == 1);
  CHECK(ulps(portable_exp(709.7), std::exp(709.7)) <= 2);
  CHECK(ulps(portable_exp(-740), std::exp(-740)) <= 2);
  CHECK(portable_exp(710) == std::numeric_limits<double>::infinity());
  CHECK(portable_exp(-746) == 0);
}

TEST_CASE("portable_log1p and portable_expm1 keep their relative accuracy for small arguments") {
  RandomStream random(1, "small");
  double worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = (random.unit() - 0.5) * 1.9 * std::ldexp(1.0, -static_cast<int>(random.below(70)));
    worst = std::max({worst, ulps(portable_log1p(x), std::log1p(x)), ulps(portable_expm1(x), std::expm1(x))});
  }
  CHECK(worst <= 8);
  CHECK(portable_log1p(0) == 0);
  CHECK(portable_expm1(0) == 0);
}

}  // namespace elementary_test
