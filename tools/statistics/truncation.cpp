// See truncation.hpp.
#include "tools/statistics/truncation.hpp"

#include <limits>
#include <numeric>

namespace racksim::tools {

std::optional<Truncation> mser5(const std::vector<double>& series) {
  const std::size_t means = series.size() / kMserBatch;
  if (means < kMserFewest) return std::nullopt;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  // From the back, so that each mean comes to those that remain: Welford's sum of squares, which is exactly 0 of equal
  // values.
  double mean = 0, squares = 0;
  for (std::size_t cut = means; cut-- > 0;) {
    const auto begin = series.begin() + static_cast<std::ptrdiff_t>(cut * kMserBatch);
    const double value = std::accumulate(begin, begin + kMserBatch, 0.0) / kMserBatch;
    const auto count = static_cast<double>(means - cut);
    const double off = value - mean;
    mean += off / count;
    squares += off * (value - mean);
    if (means - cut < kMserLeast) continue;
    const double error = squares / (count * count);
    if (error <= least) {  // of equal ones the one that leaves least out
      least = error;
      best = cut;
    }
  }
  return Truncation{best * kMserBatch, 2 * best > means};
}

}  // namespace racksim::tools
