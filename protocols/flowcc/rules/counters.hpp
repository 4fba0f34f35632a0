// What FlowCC counts, over all nodes, while the run measures.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// Counters under "flowcc.". They count from the start of the run; `Snapshot` of the protocol takes the warm-up out.
struct Counters {
  explicit Counters(sim::Metrics& m);

  sim::Counter &local_hits, &merged_misses;
  sim::Counter &read_misses, &write_misses, &write_shareds, &evict_shareds, &evict_modifieds;
  sim::Counter &lock_shareds, &lock_exclusives;
  sim::Counter &events, &switch_events;
  sim::Counter &failed_events, &request_retransmissions, &unlock_retransmissions;
  sim::Counter &home_received, &home_sent, &cache_received, &cache_sent, &requester_received, &requester_sent;
  sim::Counter &invalidations, &data_blocks, &write_backs, &ignored_requests, &repeated_requests;
  sim::Counter& failed_transfers;
  sim::Counter &provided_events, &data_providers;
  sim::Counter &block_locks, &waits_for_sibling, &handovers, &locks_after_death;
};

}  // namespace racksim::flowcc
