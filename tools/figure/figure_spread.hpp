// What a figure's values come to over its seeds or placements.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// Of a value over the seeds or placements. One that lacks it makes all of it NaN.
struct Spread {
  double mean = 0, least = 0, most = 0;
  double half_width = 0;  ///< of the mean's 95 % interval; NaN of a single value
};

/// The spreads of all values under one criterion.
class Spreads {
 public:
  Spreads(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion);
  Spread of(std::size_t series, std::size_t x, std::size_t metric) const;

 private:
  FigureValues mean_;
  std::vector<FigureValues> each_;  // by sample
};

}  // namespace racksim::tools
