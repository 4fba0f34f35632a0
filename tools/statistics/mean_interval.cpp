// See mean_interval.hpp.
#include "tools/statistics/mean_interval.hpp"

#include <algorithm>
#include <cmath>

#include "tools/statistics/student_t.hpp"

namespace racksim::tools {

std::optional<double> MeanInterval::relative() const {
  if (!half_width) return std::nullopt;
  if (*half_width == 0) return 0.0;
  if (mean == 0) return std::nullopt;
  return *half_width / std::abs(mean);
}

std::optional<MeanInterval> mean_interval(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  MeanInterval interval{.count = values.size(), .mean = *least, .least = *least, .most = *most, .half_width = {}};
  // A mean of equal values is rounded, and would make them differ from it.
  if (interval.equal()) interval.half_width = 0;
  if (*least == *most) return interval;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  interval.mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - interval.mean) * (value - interval.mean);
  interval.half_width = half_width_of(squares / (count - 1), values.size());
  return interval;
}

double half_width_of(double variance, std::size_t count) {
  return student_quantile((1 + kConfidence) / 2, count - 1) * std::sqrt(variance / static_cast<double>(count));
}

}  // namespace racksim::tools
