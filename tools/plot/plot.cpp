// What of a plot has values. See plot.hpp.
#include "tools/plot/plot.hpp"

#include <algorithm>
#include <cmath>

namespace racksim::tools {
namespace {

bool curve_has_values(const PlotCurve& curve, PlotScale scale) {
  const auto drawable = [scale](const auto& value) { return is_drawable(value.y, scale); };
  return std::any_of(curve.points.begin(), curve.points.end(), drawable) ||
         std::any_of(curve.levels.begin(), curve.levels.end(), drawable);
}

}  // namespace

bool is_drawable(double value, PlotScale scale) {
  if (scale == PlotScale::tail) return value >= 0 && value <= 1;
  return std::isfinite(value) && (scale != PlotScale::log || value > 0);
}

bool has_values(const Plot& plot, std::size_t series) {
  return std::any_of(plot.panels.begin(), plot.panels.end(), [series](const PlotPanel& panel) {
    return series < panel.curves.size() && curve_has_values(panel.curves[series], panel.y_scale);
  });
}

bool has_values(const PlotPanel& panel) {
  return std::any_of(panel.curves.begin(), panel.curves.end(),
                     [&panel](const PlotCurve& curve) { return curve_has_values(curve, panel.y_scale); });
}

bool has_marks(const Plot& plot) {
  return std::any_of(plot.panels.begin(), plot.panels.end(), [](const PlotPanel& panel) {
    return std::any_of(panel.marks.begin(), panel.marks.end(),
                       [&panel](const PlotMark& mark) { return is_drawable(mark.y, panel.y_scale); });
  });
}

bool has_assumed_levels(const Plot& plot) {
  return std::any_of(plot.panels.begin(), plot.panels.end(), [](const PlotPanel& panel) {
    return std::any_of(panel.curves.begin(), panel.curves.end(), [](const PlotCurve& curve) {
      return std::any_of(curve.levels.begin(), curve.levels.end(),
                         [](const PlotLevel& level) { return level.assumed && std::isfinite(level.y); });
    });
  });
}

}  // namespace racksim::tools
