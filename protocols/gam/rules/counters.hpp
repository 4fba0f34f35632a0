// What GAM counts, over all nodes, from the start of the run.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::gam {

/// Counters under "gam.".
struct Counters {
  explicit Counters(sim::Metrics& m);

  // Accesses and locks by where the line's home is, and what those of remote lines needed.
  sim::Counter &home_accesses, &accesses, &local_accesses, &read_misses, &write_misses, &upgrades;
  // Workflows that take messages (Figures 3 and 4), counted at the home as they begin.
  sim::Counter &home_reads_dirty, &home_writes_shared, &home_writes_dirty, &remote_reads_clean, &remote_reads_dirty,
      &remote_writes_unshared, &remote_writes_shared, &remote_writes_dirty, &evicted_shared, &evicted_dirty;
  sim::Counter &invalidations, &denied, &merged, &blocked;
  // Messages by channel.
  sim::Counter &control, &data, &notifications, &handled;
  sim::Counter &send_queue_waits, &merged_messages, &reconnections, &completions;
  // Logging and recovery (§5), and what is lost without.
  sim::Counter &dlogs, &ologs, &log_stalls, &undone, &promoted, &restored, &announced, &asked_again, &sent_again, &late;
  sim::Counter &lost_homed, &lost_owned;
};

}  // namespace racksim::gam
