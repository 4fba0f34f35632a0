// Zipf-distributed ranks in O(1) time and memory, exact at hundreds of millions of keys.
//
// Rejection-inversion for monotone discrete distributions (Hörmann and Derflinger, "Rejection-inversion to generate
// variates from monotone discrete distributions", ACM TOMACS 6(3), 1996): invert the integral of the density's
// continuous hat, round to a rank, and reject the little that the hat has too much. No table, nothing summed up at
// construction; about 1.01 draws per rank.
#pragma once

#include <cstdint>

#include "sim/random/random.hpp"

namespace racksim::sim {

/// Draws ranks 1..n with probability proportional to rank^-theta. Rank 1 is the most popular.
class Zipf {
 public:
  /// 1 <= n <= 2^50 and 0 <= theta <= 2 (0 is uniform, 1 the harmonic case); anything else is a std::runtime_error.
  Zipf(std::uint64_t n, double theta);

  std::uint64_t operator()(RandomStream& random) const;

  std::uint64_t n() const { return n_; }
  double theta() const { return theta_; }

 private:
  double density(double x) const;
  double integral(double x) const;
  double inverse_integral(double y) const;

  std::uint64_t n_;
  double theta_;
  double integral_low_;   // where rank 1's share of the hat begins
  double integral_high_;  // where rank n's share ends
  double accept_width_;   // a rank this close above x lies under the density for sure
};

/// How many different ranks of n so many draws show, on average.
double expected_distinct(std::uint64_t n, double theta, double draws);

}  // namespace racksim::sim
