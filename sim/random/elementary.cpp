#include "sim/random/elementary.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace racksim::sim {
namespace {

// ln 2 in two parts: the first has 32 significant bits, so that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::uint64_t kMantissaMask = (std::uint64_t{1} << 52) - 1;

/// 2 to the k, for k in the range of normal doubles.
double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

}  // namespace

double portable_log(double x) {
  if (!(x > 0)) return x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return x;
  int exponent = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal
    x *= 0x1p54;
    exponent = -54;
  }
  // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)), so that no leading digits cancel for x just below 1.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & kMantissaMask) | (std::uint64_t{1023} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log(1 + f) = 2 atanh(s) with s = f / (2 + f), |s| < 0.172; the series in s^2 needs 11 terms for 53 bits. Its first
  // term 2s is written as f - f^2/2 + s f^2/2, which leaves the exact f as the leading part.
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  // Evaluated as a tree (Estrin), because a chain of 11 multiplications would wait on itself.
  const double z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;
  const double series = ((2.0 / 3 + 2.0 / 5 * z) + (2.0 / 7 + 2.0 / 9 * z) * z2) +
                        ((2.0 / 11 + 2.0 / 13 * z) + (2.0 / 15 + 2.0 / 17 * z) * z2) * z4 +
                        ((2.0 / 19 + 2.0 / 21 * z) + 2.0 / 23 * z2) * z8;
  const double half_square = 0.5 * f * f;
  const double k = exponent;
  return k * kLn2High - ((half_square - (s * (half_square + z * series) + k * kLn2Low)) - f);
}

double portable_exp(double x) {
  if (x != x) return x;
  if (x > 709.782712893384) return kInfinity;
  if (x < -745.2) return 0;
  // x = k ln 2 + r with |r| <= 0.3466; the Taylor series of exp(r) needs degree 13 for 53 bits.
  const double scaled = x * 1.4426950408889634;
  const int k = static_cast<int>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double r = (x - k * kLn2High) - k * kLn2Low;
  const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const double series = ((1.0 / 2 + 1.0 / 6 * r) + (1.0 / 24 + 1.0 / 120 * r) * r2) +
                        ((1.0 / 720 + 1.0 / 5040 * r) + (1.0 / 40320 + 1.0 / 362880 * r) * r2) * r4 +
                        ((1.0 / 3628800 + 1.0 / 39916800 * r) + (1.0 / 479001600 + 1.0 / 6227020800 * r) * r2) * r8;
  const double result = 1 + (r + r2 * series);
  // Two factors, because 2^k alone may lie outside the range of normal doubles.
  const int half = k / 2;
  return result * power_of_two(half) * power_of_two(k - half);
}

double portable_log1p(double x) {
  // The rounding error of 1 + x is undone by scaling with x over what was really added.
  const double u = 1 + x;
  if (u == 1) return x;
  return portable_log(u) * (x / (u - 1));
}

double portable_expm1(double x) {
  // exp(x) rounds; the logarithm of the rounded value says how far off it is.
  const double u = portable_exp(x);
  if (u == 1) return x;
  const double difference = u - 1;
  if (difference == -1 || u == kInfinity) return difference;
  if (x > 1 || x < -1) return difference;  // nothing cancels there
  return difference * (x / portable_log(u));
}

}  // namespace racksim::sim
