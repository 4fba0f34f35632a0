// A figure's points as comma-separated values, which pandas and R read as they are.
#pragma once

#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// One row per point, of a figure over time one per window; with several seeds or placements each has a row. Columns: x,
/// of a window also where it ends and whether it was simulated or drawn; the series; with a knee the criterion; the seed,
/// and the placement where that differs; the metrics with their units, "throughput [Mops]", and where several seeds or
/// placements are one point each metric's mean, half_width (of its 95 % interval), least and most over them; the oracles'
/// verdict and the run hash; and the command that makes the row's run. A cell is empty where there is no value.
std::string figure_csv(const Figure& figure, const std::vector<PointResult>& results);

}  // namespace racksim::tools
