// What SELCC counts, over all nodes, from the start of the run.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::selcc {

/// Counters under "selcc.".
struct Counters {
  explicit Counters(sim::Metrics& m);

  sim::Counter &accesses, &local_accesses, &shared_misses, &modified_misses, &upgrades;
  sim::Counter &reads, &writes, &swaps, &adds, &sends;
  sim::Counter &asked_modified, &asked_for_reader, &asked_shared, &operations_with_invalidations;
  sim::Counter &given, &released, &busy, &gone, &deferred, &phantom_sharers;
  sim::Counter &undone, &own_traces, &upgrade_fallbacks, &yields, &held_back;
  sim::Counter &flushes, &flushed_bytes, &evicted_shared, &evicted_modified, &frame_waits, &ring_waits;
  sim::Counter& failed_verbs;
  sim::Counter &claimed, &rechecked, &taken_out;
};

}  // namespace racksim::selcc
