// A figure as a plot.
#pragma once

#include <vector>

#include "tools/figure/figure_runs.hpp"
#include "tools/plot/plot.hpp"

namespace racksim::tools {

/// A panel for each metric; the series in the figure's order, with a knee each under all its criteria; error bars of
/// 95 % intervals over seeds or placements; and marks at the values that the paper states of a series at some x.
/// Of a figure over time the windows are levels, a second panel shows its zoom, and metrics of the whole run have no
/// panel, nor has what is nought everywhere.
Plot figure_plot(const Figure& figure, const std::vector<PointResult>& results);

}  // namespace racksim::tools
