// What the RPC directory counts, over all nodes, from the start of the run.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::rpc_directory {

/// Counters under "rpc_directory.".
struct Counters {
  explicit Counters(sim::Metrics& m);

  sim::Counter &accesses, &local_accesses, &shared_misses, &exclusive_misses, &upgrades;
  sim::Counter &handled, &queued, &redirected, &invalidations, &given, &shared_out, &deferred, &stale;
  sim::Counter &write_backs, &evicted_shared, &evicted_exclusive, &frame_waits, &eviction_waits, &failed_verbs;
};

}  // namespace racksim::rpc_directory
