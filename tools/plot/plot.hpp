// A plot as data: what is drawn, and nothing of how. plot_script.hpp makes a script for gnuplot of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace racksim::tools {

/// How values lie on an axis: in their proportions, in those of their logarithms, one after the other, or, for shares of a
/// whole, by the logarithm of the rest, so that 0.9, 0.99 and 0.999 are equally far apart (y of levels alone).
enum class PlotScale : std::uint8_t { linear, log, categories, tail };

/// A value on the x axis.
struct PlotPlace {
  double x = 0;
  std::string label;  ///< written below the axis
};

/// One value with its spread: `low` and `high` are `y` where there is none. NaN stands for no value.
struct PlotPoint {
  double x = 0;  ///< as a place's, of a level its begin
  double y = 0, low = 0, high = 0;
};

/// A value that holds over a stretch of x, such as a window of time. One without length is the end of a step.
struct PlotLevel {
  double from = 0, to = 0, y = 0;
  bool assumed = false;  ///< drawn as measured elsewhere
};

/// What one series has in a panel.
struct PlotCurve {
  std::vector<PlotPoint> points;
  std::vector<PlotLevel> levels;  ///< instead of points, one after the other
};

/// A number that a paper states, of one of the series.
struct PlotMark {
  std::size_t series = 0;
  double x = 0, y = 0;
};

/// One coordinate system.
struct PlotPanel {
  std::string title;    ///< above it; may be empty
  std::string y_label;  ///< with the unit
  PlotScale y_scale = PlotScale::linear;
  double y_per_unit = 1;                             ///< how much of y is one of the unit that `y_label` names
  std::optional<std::pair<double, double>> x_range;  ///< of levels: the part shown; above 0 on a logarithmic axis
  std::vector<PlotCurve> curves;                     ///< by series
  std::vector<PlotMark> marks;
};

struct Plot {
  std::string title, x_label;
  PlotScale x_scale = PlotScale::linear;
  double x_per_unit = 1;          ///< of levels: how much of x is one of the unit that `x_label` names
  std::vector<PlotPlace> places;  ///< on the x axis, rising; none for levels
  bool joined = true;             ///< points by lines; else those of a place stand side by side
  std::vector<std::string> series;
  std::vector<std::size_t>
      colours;                    ///< of each series, by number, where several have one and differ in dashes; else none
  std::vector<PlotPanel> panels;  ///< one below the other, on the same x axis
};

/// Whether a value can be drawn on such an axis.
bool is_drawable(double value, PlotScale scale);

/// Whether any panel shows something of this series.
bool has_values(const Plot& plot, std::size_t series);
bool has_values(const PlotPanel& panel);
/// Whether any panel has a mark, or a level that is assumed.
bool has_marks(const Plot& plot);
bool has_assumed_levels(const Plot& plot);

}  // namespace racksim::tools
