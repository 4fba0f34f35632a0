#include "sim/random/zipf.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "sim/random/elementary.hpp"

namespace racksim::sim {
namespace {

/// expm1(x) / x and log1p(x) / x, continuous at 0: they carry the formulas over theta = 1 without a case.
double expm1_ratio(double x) {
  return x == 0 ? 1 : portable_expm1(x) / x;
}
double log1p_ratio(double x) {
  return x == 0 ? 1 : portable_log1p(x) / x;
}

}  // namespace

Zipf::Zipf(std::uint64_t n, double theta) : n_(n), theta_(theta) {
  if (n < 1 || n > std::uint64_t{1} << 50)
    throw std::runtime_error(fmt::format("Zipf needs 1 to 2^50 ranks, got {}", n));
  if (!(theta >= 0 && theta <= 2)) throw std::runtime_error(fmt::format("Zipf needs theta from 0 to 2, got {}", theta));
  integral_low_ = integral(1.5) - 1;
  integral_high_ = integral(static_cast<double>(n) + 0.5);
  accept_width_ = 2 - inverse_integral(integral(2.5) - density(2));
}

std::uint64_t Zipf::operator()(RandomStream& random) const {
  for (;;) {
    const double u = integral_high_ + random.unit() * (integral_low_ - integral_high_);
    const double x = inverse_integral(u);
    // Rounding can lead past either end by a hair.
    auto rank = x < 1 ? std::uint64_t{1} : static_cast<std::uint64_t>(x + 0.5);  // exact below 2^51
    if (rank > n_) rank = n_;
    const auto k = static_cast<double>(rank);
    if (k - x <= accept_width_ || u >= integral(k + 0.5) - density(k)) return rank;
  }
}

/// x^-theta.
double Zipf::density(double x) const {
  return portable_exp(-theta_ * portable_log(x));
}

/// The integral of the density from 1 to x: (x^(1 - theta) - 1) / (1 - theta), or log x at theta = 1.
double Zipf::integral(double x) const {
  const double log_x = portable_log(x);
  return log_x * expm1_ratio((1 - theta_) * log_x);
}

/// The x up to which the integral is y.
double Zipf::inverse_integral(double y) const {
  double t = y * (1 - theta_);
  if (t < -1) t = -1;  // only by rounding
  return portable_exp(y * log1p_ratio(t));
}

// Ranks of like popularity are taken together: the first ones alone, and from there on in steps of a hundredth.
double expected_distinct(std::uint64_t n, double theta, double draws) {
  struct Step {
    double ranks, popularity;
  };
  std::vector<Step> steps;
  double all = 0;
  const auto end = static_cast<double>(n) + 1;
  for (double from = 1; from < end;) {
    const double to = std::min(end, std::max(from + 1, std::floor(from * 1.01)));
    steps.push_back({to - from, portable_exp(-theta * portable_log((from + to - 1) / 2))});
    all += steps.back().ranks * steps.back().popularity;
    from = to;
  }
  double distinct = 0;
  for (const Step& step : steps) distinct -= step.ranks * portable_expm1(-draws * step.popularity / all);
  return distinct;
}

}  // namespace racksim::sim
