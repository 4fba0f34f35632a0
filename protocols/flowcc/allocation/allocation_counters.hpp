// What is counted of allocation.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// Counters under "flowcc.allocation.".
struct AllocationCounters {
  sim::Metrics& m;
  sim::Counter& chunks = m.counter("flowcc.allocation.chunks", "chunks", "chunks that home agents gave to threads");
  sim::Counter& refused =
      m.counter("flowcc.allocation.refused", "requests", "requests for chunks for which a home had no room");
  sim::Counter& retransmissions =
      m.trouble("flowcc.allocation.retransmissions", "packets", "requests for chunks sent again after a timeout");
  sim::Counter& chunks_of_dead_nodes =
      m.counter("flowcc.allocation.chunks_of_dead_nodes", "chunks",
                "chunks that threads had when their node crashed, which nobody else carves");
  sim::Counter& chunks_at_dead_nodes =
      m.counter("flowcc.allocation.chunks_at_dead_nodes", "chunks",
                "chunks of a node's memory that other nodes' threads had when it crashed");
};

}  // namespace racksim::flowcc
