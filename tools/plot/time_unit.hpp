// The unit that suits a stretch of time.
#pragma once

#include <string>

#include "tools/plot/plot.hpp"

namespace racksim::tools {

struct TimeUnit {
  const char* name;
  double ns;  ///< how long it is
};

/// The longest of ns, us, ms and s of which a length in nanoseconds has ten at least; ns for less.
TimeUnit time_unit_for(double ns);

/// Names the y axis of a panel that has its values: "latency (us)". Values stay what they are, in `unit`, which may be
/// empty; where they are nanoseconds the axis has the unit that suits the largest.
void name_y_axis(PlotPanel& panel, const std::string& name, const std::string& unit);

}  // namespace racksim::tools
