// Names and meanings of the RPC directory's counters.
#include "protocols/rpc_directory/counters.hpp"

namespace racksim::rpc_directory {

Counters::Counters(sim::Metrics& m)
    : accesses(m.counter("rpc_directory.accesses", "accesses", "accesses to lines, each with its local latch")),
      local_accesses(m.counter("rpc_directory.local_accesses", "accesses", "accesses that needed no message")),
      shared_misses(m.counter("rpc_directory.misses.shared", "accesses", "accesses that had to ask for a share")),
      exclusive_misses(
          m.counter("rpc_directory.misses.exclusive", "accesses", "accesses that had to ask for the line to write")),
      upgrades(m.counter("rpc_directory.misses.upgrade", "accesses", "accesses that had to turn a share into more")),
      handled(m.counter("rpc_directory.handled", "messages", "messages that directory cores have handled")),
      queued(m.counter("rpc_directory.queued", "requests", "requests that found their line busy at its home")),
      redirected(m.counter("rpc_directory.redirected", "requests", "requests whose page another node had")),
      invalidations(m.counter("rpc_directory.invalidations", "messages", "invalidations sent to sharers")),
      given(m.counter("rpc_directory.given", "pages", "pages that owners handed over to writers")),
      shared_out(m.counter("rpc_directory.shared_out", "pages", "pages that owners shared with readers")),
      deferred(m.counter("rpc_directory.deferred", "messages", "messages kept until the copy is free, or there")),
      stale(m.counter("rpc_directory.stale", "messages", "messages about copies that were gone")),
      write_backs(m.counter("rpc_directory.write_backs", "pages", "dirty pages written to memory")),
      evicted_shared(m.counter("rpc_directory.evictions.shared", "lines", "shared copies that were evicted")),
      evicted_exclusive(m.counter("rpc_directory.evictions.exclusive", "lines", "exclusive copies that were evicted")),
      frame_waits(m.counter("rpc_directory.frame_waits", "waits", "misses that found no free frame")),
      eviction_waits(m.counter("rpc_directory.eviction_waits", "waits", "evictions that found the window full")),
      failed_verbs(
          m.counter("rpc_directory.failed_verbs", "verbs", "verbs that ended in error: whoever waits is stuck")) {}

}  // namespace racksim::rpc_directory
