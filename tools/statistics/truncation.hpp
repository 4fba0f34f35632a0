// Where the warm-up of a simulation ends, by MSER-5: of the means of five values each, those at the beginning are left out
// that make the estimate of the mean best, which is where the sum of squares of what remains over the square of its number
// is least. (White, Cobb and Spratt, "A Comparison of Five Steady-State Truncation Heuristics for Simulation", WSC 2000.)
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace racksim::tools {

/// Values that make one of the means.
inline constexpr std::size_t kMserBatch = 5;
/// Fewer means show nothing, and as few as kMserLeast of them must remain: the spread of two or three is small by chance.
inline constexpr std::size_t kMserFewest = 20, kMserLeast = 5;

struct Truncation {
  std::size_t values = 0;  ///< to be left out at the beginning, a multiple of five
  /// More than half of the series would go: it is too short to tell where the warm-up ends.
  bool too_short = false;
};

/// Of a series from the beginning of a run; values beyond the last whole five are not looked at. None of a series of fewer
/// than kMserFewest means.
std::optional<Truncation> mser5(const std::vector<double>& series);

}  // namespace racksim::tools
