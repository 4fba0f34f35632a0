// A figure as a picture.
#pragma once

#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// SVG: a panel for each metric and criterion, with a line for each series. Of a figure over time the windows are
/// steps, dashed where they are drawn and not simulated, a second panel shows its zoom, and metrics of the whole run
/// have no panel, nor has what is nought everywhere. Points without a value are left out.
std::string figure_svg(const Figure& figure, const std::vector<PointResult>& results);

}  // namespace racksim::tools
