// Names and meanings of allocation's counters. See allocation_counters.hpp.
#include "protocols/flowcc/allocation/allocation_counters.hpp"

namespace racksim::flowcc {

AllocationCounters::AllocationCounters(sim::Metrics& m)
    : chunks(m.counter("flowcc.allocation.chunks", "chunks", "chunks that home agents gave to threads")),
      refused(m.counter("flowcc.allocation.refused", "requests", "requests for chunks for which a home had no room")),
      retransmissions(
          m.counter("flowcc.allocation.retransmissions", "packets", "requests for chunks sent again after a timeout")),
      chunks_of_dead_nodes(m.counter("flowcc.allocation.chunks_of_dead_nodes", "chunks",
                                     "chunks that threads had when their node crashed, which nobody else carves")),
      chunks_at_dead_nodes(m.counter("flowcc.allocation.chunks_at_dead_nodes", "chunks",
                                     "chunks of a node's memory that other nodes' threads had when it crashed")),
      used_bytes(m.gauge("flowcc.allocation.used_bytes", "bytes", "in pieces that are allocated, at the end", 0)),
      free_bytes(m.gauge("flowcc.allocation.free_bytes", "bytes",
                         "that living threads have and nobody uses, at the end", 0)) {}

}  // namespace racksim::flowcc
