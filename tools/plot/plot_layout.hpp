// Where the parts of a plot lie on the paper: one column of panels below a title and a legend, so high as they need.
// All places are known before gnuplot draws, so that no text is cut off or lies on another.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/plot.hpp"
#include "tools/plot/plot_ticks.hpp"

namespace racksim::tools {

/// The width of all plots in points: 84 mm, a column of most proceedings.
inline constexpr double kPlotWidth = 238.5;

/// One entry of the legend: a sample and a name. Places are points from the left and the top.
struct LegendEntry {
  enum class Kind : std::uint8_t { series, mark, assumed };
  Kind kind = Kind::series;
  std::size_t series = 0;
  std::vector<std::string> lines;
  double sample_from = 0, sample_to = 0;  ///< left and right end of the sample
  double text = 0;                        ///< left end of the name
  double y = 0;                           ///< middle of the first line
};

struct PanelLayout {
  std::size_t panel = 0;                            ///< of the plot
  double left = 0, right = 0, top = 0, bottom = 0;  ///< of the frame
  PlotRange x, y;
  bool upright = false;  ///< labels below the axis are turned by a right angle
  std::vector<std::string> title, x_label, y_label;
  double title_y = 0, x_label_y = 0, y_label_x = 0;  ///< middles of their first lines
};

struct PlotLayout {
  double height = 0;  ///< in points; a multiple of 3
  std::vector<std::string> title;
  double title_y = 0;
  std::vector<LegendEntry> legend;  ///< of what has values
  std::vector<PanelLayout> panels;  ///< those that have values
};

/// The left end of titles and legend.
inline constexpr double kPlotMargin = 4;

PlotLayout layout_of(const Plot& plot);

}  // namespace racksim::tools
