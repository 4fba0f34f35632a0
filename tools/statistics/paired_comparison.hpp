// Two systems compared run by run: both were run with the same seeds, so that what the seeds do to both alike cancels out
// in the difference.
#pragma once

#include <optional>
#include <vector>

#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {

struct PairedComparison {
  MeanInterval difference;  ///< B's value less A's
  /// How probable a mean difference of this size or more is where there is none (two-sided paired t-test). None of a
  /// single pair; 1 of pairs that are equal, 0 of pairs that all differ by the same.
  std::optional<double> probability;
};

/// Of as many values of A as of B, by seed; none if there are none. Throws std::logic_error if their numbers differ.
std::optional<PairedComparison> compare_pairs(const std::vector<double>& a, const std::vector<double>& b);

/// Holm's correction for several comparisons: the probabilities, each raised so that those at or below a level are found
/// by chance, all together, no more often than that level. ("A Simple Sequentially Rejective Multiple Test Procedure",
/// Scandinavian Journal of Statistics 6, 1979.) In their order.
std::vector<double> holm_adjusted(const std::vector<double>& probabilities);

/// A difference with an adjusted probability at or below this one is significant.
inline constexpr double kSignificance = 0.05;

}  // namespace racksim::tools
