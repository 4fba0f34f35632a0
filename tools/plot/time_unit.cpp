// See time_unit.hpp.
#include "tools/plot/time_unit.hpp"

#include <algorithm>

namespace racksim::tools {
namespace {

/// Of what is drawn of a panel; 0 if nothing is.
double largest_in(const PlotPanel& panel) {
  double largest = 0;
  const auto add = [&](double value) {
    if (is_drawable(value, panel.y_scale)) largest = std::max(largest, value);
  };
  for (const PlotCurve& curve : panel.curves) {
    for (const PlotPoint& point : curve.points) add(point.y);
    for (const PlotLevel& level : curve.levels) add(level.y);
  }
  return largest;
}

}  // namespace

TimeUnit time_unit_for(double ns) {
  for (const TimeUnit unit : {TimeUnit{"s", 1e9}, TimeUnit{"ms", 1e6}, TimeUnit{"us", 1e3}}) {
    if (ns >= 10 * unit.ns) return unit;
  }
  return {"ns", 1};
}

void name_y_axis(PlotPanel& panel, const std::string& name, const std::string& unit) {
  if (unit != "ns") {
    panel.y_label = unit.empty() ? name : name.empty() ? unit : name + " (" + unit + ")";
    return;
  }
  const TimeUnit suits = time_unit_for(largest_in(panel));
  panel.y_per_unit = suits.ns;
  panel.y_label = name.empty() ? suits.name : name + " (" + suits.name + ")";
}

}  // namespace racksim::tools
