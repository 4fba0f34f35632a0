// The mean of independent values, such as those of runs with different seeds, and how well they tell it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace racksim::tools {

/// How sure an interval is.
inline constexpr double kConfidence = 0.95;

struct MeanInterval {
  std::size_t count = 0;  ///< of the values, at least 1
  double mean = 0, least = 0, most = 0;
  /// The true mean lies within so much of `mean` with 95 % confidence, by Student's t. None of a single value, 0 of values
  /// that are all equal.
  std::optional<double> half_width;

  /// All values are the same, and there are several.
  bool equal() const { return count > 1 && least == most; }
  /// The half-width as a share of the mean's size; none where there is none, or the mean is 0 and the width is not.
  std::optional<double> relative() const;
};

/// Of finite values; none if there are none of them.
std::optional<MeanInterval> mean_interval(const std::vector<double>& values);

/// Half of the width of the interval around the mean of `count` values, at least 2, with this sample variance.
double half_width_of(double variance, std::size_t count);

}  // namespace racksim::tools
