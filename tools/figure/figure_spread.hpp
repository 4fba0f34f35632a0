// What a figure's values come to over its seeds or placements.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// The numbers of a figure under one criterion: of one sample (figure_repeats.hpp), or their means.
FigureValues values_under(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion,
                          std::optional<std::size_t> sample = std::nullopt);

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
