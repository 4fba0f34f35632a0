// What NetCache counts beside the application's counters, under "netcache.".
#pragma once

#include "protocols/switch_cache/counters.hpp"

namespace racksim::netcache {

struct Counters : switch_cache::Counters {
  explicit Counters(sim::Metrics& m)
      : switch_cache::Counters(m, "netcache"),
        hot_reports(m.counter("netcache.hot_reports", "packets", "by which the switch reported hot uncached keys")),
        updates(m.counter("netcache.updates", "packets", "cache updates that servers sent, repetitions included")),
        stale_updates(m.counter("netcache.stale_updates", "updates", "that the switch did not take")),
        held_writes(m.counter("netcache.held_writes", "writes", "that waited for a cache update of their key")) {}

  sim::Counter &hot_reports, &updates, &stale_updates, &held_writes;
};

}  // namespace racksim::netcache
