// How a run went, from time zero to its end: operations a second and their 99th percentile, by slots of equal length.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/metrics/latency_over_time.hpp"

namespace racksim::tools {

struct RunOverTime {
  struct Slot {
    double mops = 0;
    std::optional<double> p99_ns;  ///< nothing where nothing ended
  };
  sim::Duration width{};
  std::vector<Slot> slots;
  std::size_t begin = 0, end = 0;  ///< those of them that lie in the window of measurement, but for parts of a slot
};

/// Of a run that ended at `end` and was measured from `begin` on, for so long. A last slot of which the run had less than
/// half is left out.
RunOverTime run_over_time_of(const sim::LatencyOverTime& latency, sim::Time begin, sim::Duration length, sim::Time end);

}  // namespace racksim::tools
