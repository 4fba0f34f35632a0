// What is counted of allocation.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// Counters under "flowcc.allocation.".
struct AllocationCounters {
  explicit AllocationCounters(sim::Metrics& m);

  sim::Counter &chunks, &refused, &retransmissions;
  sim::Counter &chunks_of_dead_nodes, &chunks_at_dead_nodes;
  sim::Gauge &used_bytes, &free_bytes;
};

}  // namespace racksim::flowcc
