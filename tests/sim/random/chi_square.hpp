// Pearson's chi-square statistic and its critical values, for tests of samplers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace racksim::tests {

/// Pearson's statistic of observed counts against bin probabilities that sum to 1.
inline double chi_square(const std::vector<std::uint64_t>& observed, const std::vector<double>& probability) {
  double draws = 0;
  for (const auto count : observed) draws += static_cast<double>(count);
  double statistic = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double expected = draws * probability[i];
    statistic +=
        (static_cast<double>(observed[i]) - expected) * (static_cast<double>(observed[i]) - expected) / expected;
  }
  return statistic;
}

/// The value that chi-square with `degrees` of freedom exceeds with probability 1e-4 (Wilson and Hilferty).
inline double chi_square_limit(std::size_t degrees) {
  const double v = 2.0 / (9.0 * static_cast<double>(degrees));
  return static_cast<double>(degrees) * std::pow(1 - v + 3.719 * std::sqrt(v), 3);
}

}  // namespace racksim::tests
