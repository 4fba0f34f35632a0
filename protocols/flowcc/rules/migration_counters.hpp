// What is counted where blocks migrate.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// Counters under "flowcc.migration." and "flowcc.shadow.".
struct MigrationCounters {
  explicit MigrationCounters(sim::Metrics& m);

  sim::Counter &epochs, &adds, &added, &collisions, &removes, &removed, &busy_removes, &skips, &drains;
  sim::Counter &retransmissions, &packets, &refused_requests, &dropped_requests;
  sim::Counter &reports, &listings, &scans, &notices, &takeovers, &tags_read;
  sim::Counter &recoveries, &recovery_time, &recovery_work, &saved, &reported, &supplied, &stale_packets;
  sim::Counter &lost_blocks, &unavailable;
};

}  // namespace racksim::flowcc
