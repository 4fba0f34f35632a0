// See run_over_time.hpp.
#include "tools/experiment/run_over_time.hpp"

#include <algorithm>
#include <cmath>

namespace racksim::tools {

RunOverTime run_over_time_of(const sim::LatencyOverTime& latency, sim::Time begin, sim::Duration length,
                             sim::Time end) {
  RunOverTime run{.width = latency.width(), .slots = {}};
  const double width = run.width.ns();
  const auto nearest = [&](sim::Time at) {
    return static_cast<std::size_t>(std::max(0.0, std::round(at.ns() / width)));
  };
  run.slots.resize(std::min(nearest(end), sim::LatencyOverTime::kSlots));
  for (std::size_t i = 0; i < run.slots.size(); ++i) {
    const std::uint64_t count = latency.count(i);
    const double lasted = std::min(width, end.ns() - static_cast<double>(i) * width);
    run.slots[i].mops = static_cast<double>(count) / lasted * 1e3;
    if (count > 0) run.slots[i].p99_ns = latency.percentile(i, 99).ns();
  }
  run.begin = std::min(nearest(begin), run.slots.size());
  run.end = std::min(nearest(begin + length), run.slots.size());
  return run;
}

}  // namespace racksim::tools
