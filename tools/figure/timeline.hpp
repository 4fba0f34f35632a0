// A figure over time: its x axis is cut into windows, and one run of each series gives the values in all of them. In
// the place of "sweep":
//
//   "timeline": {"label": "time (s)",
//                "from": 0,
//                "stretches": [{"to": 19.95, "as": [19.95, 20]},    not simulated: drawn as what was measured there
//                              {"to": 20, "windows": 10},           ten windows of equal length
//                              {"to": 36}],                         each begins where the one before ends
//                "zero": 19.85,                                     where a run's first instant lies on the axis
//                "zoom": [37.85, 38.1]}                             a second picture, of this part
//
// All is in seconds, and a window's x is its begin. Statistics of a time series (run_metrics.hpp) are those within the
// window; all other metrics are of the whole run, the same at every x. What a run does not reach may only be drawn "as"
// something that it does, or has no value: minutes of a steady state need not be simulated, but the figure says where
// they were not.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/time.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct TimeWindow {
  double from = 0, to = 0;  ///< on the axis
  sim::Time begin, end;     ///< what is measured, in the run
  bool drawn = false;       ///< as what was measured elsewhere
};

struct Timeline {
  std::string label;
  std::vector<TimeWindow> windows;  ///< each begins where the one before ends
  std::optional<std::pair<double, double>> zoom;
};

/// Reads it. Throws InputError, also for a window that is not whole intervals of the runs' time series.
Timeline read_timeline(const JsonValue& value, const JsonLocation& place, sim::Duration interval);

}  // namespace racksim::tools
