// What `racksim plot` makes of results: a plot, its numbers, and what is told of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/plot.hpp"

namespace racksim::tools {

/// Where InputErrors say that they come from.
inline constexpr const char* kPlotCommand = "racksim plot";

struct ResultPlot {
  Plot plot;
  std::string csv;                 ///< all that is drawn, a line for each value of x and series; units in the header
  std::size_t points = 0;          ///< lines with a value
  std::size_t results = 0;         ///< that were looked at
  std::vector<std::string> notes;  ///< what a person should know of what was drawn, a line each
};

}  // namespace racksim::tools
