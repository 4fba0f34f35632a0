// See paired_comparison.hpp.
#include "tools/statistics/paired_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tools/statistics/student_t.hpp"

namespace racksim::tools {

std::optional<PairedComparison> compare_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw std::logic_error("pairs of which a side lacks some");
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(b[i] - a[i]);
  const auto interval = mean_interval(differences);
  if (!interval) return std::nullopt;
  PairedComparison comparison{*interval, std::nullopt};
  if (interval->equal()) {
    comparison.probability = interval->mean == 0 ? 1 : 0;
  } else if (interval->half_width) {
    const double standard_error = *interval->half_width / student_quantile((1 + kConfidence) / 2, interval->count - 1);
    comparison.probability = student_two_sided(interval->mean / standard_error, interval->count - 1);
  }
  return comparison;
}

std::vector<double> holm_adjusted(const std::vector<double>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return probabilities[x] < probabilities[y]; });
  std::vector<double> adjusted(probabilities.size());
  double so_far = 0;  // no probability is lower than a smaller one's
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    so_far = std::max(so_far, std::min(1.0, left * probabilities[order[rank]]));
    adjusted[order[rank]] = so_far;
  }
  return adjusted;
}

}  // namespace racksim::tools
