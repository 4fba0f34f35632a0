// What the RPC directory counts, over all nodes, from the start of the run.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::rpc_directory {

/// Counters under "rpc_directory.".
struct Counters {
  sim::Metrics& m;
  // clang-format off
  sim::Counter& accesses = m.counter("rpc_directory.accesses", "accesses", "accesses to lines, each with its local latch");
  sim::Counter& local_accesses = m.counter("rpc_directory.local_accesses", "accesses", "accesses that needed no message");
  sim::Counter& shared_misses = m.counter("rpc_directory.misses.shared", "accesses", "accesses that had to ask for a share");
  sim::Counter& exclusive_misses = m.counter("rpc_directory.misses.exclusive", "accesses", "accesses that had to ask for the line to write");
  sim::Counter& upgrades = m.counter("rpc_directory.misses.upgrade", "accesses", "accesses that had to turn a share into more");
  sim::Counter& handled = m.counter("rpc_directory.handled", "messages", "messages that directory cores have handled");
  sim::Counter& queued = m.counter("rpc_directory.queued", "requests", "requests that found their line busy at its home");
  sim::Counter& redirected = m.counter("rpc_directory.redirected", "requests", "requests whose page another node had");
  sim::Counter& refused = m.counter("rpc_directory.refused", "try-locks", "try-locks that found their line in use, or no free frame");
  sim::Counter& invalidations = m.counter("rpc_directory.invalidations", "messages", "invalidations sent to sharers");
  sim::Counter& given = m.counter("rpc_directory.given", "pages", "pages that owners handed over to writers");
  sim::Counter& shared_out = m.counter("rpc_directory.shared_out", "pages", "pages that owners shared with readers");
  sim::Counter& deferred = m.counter("rpc_directory.deferred", "messages", "messages kept until the copy is free, or there");
  sim::Counter& stale = m.counter("rpc_directory.stale", "messages", "messages about copies that were gone");
  sim::Counter& write_backs = m.counter("rpc_directory.write_backs", "pages", "dirty pages written to memory");
  sim::Counter& evicted_shared = m.counter("rpc_directory.evictions.shared", "lines", "shared copies that were evicted");
  sim::Counter& evicted_exclusive = m.counter("rpc_directory.evictions.exclusive", "lines", "exclusive copies that were evicted");
  sim::Counter& frame_waits = m.counter("rpc_directory.frame_waits", "waits", "misses that found no free frame");
  sim::Counter& eviction_waits = m.counter("rpc_directory.eviction_waits", "waits", "evictions that found the window full");
  sim::Counter& failed_verbs = m.trouble("rpc_directory.failed_verbs", "verbs", "verbs that ended in error: whoever waits is stuck");
  // clang-format on
  const sim::Quotient& local_share =
      m.share("rpc_directory.local_share", "accesses that needed no message", {&local_accesses}, {&accesses});
};

}  // namespace racksim::rpc_directory
