// What NetCache counts beside the application's counters, under "netcache.".
#pragma once

#include "protocols/switch_cache/counters.hpp"

namespace racksim::netcache {

struct Counters : switch_cache::Counters {
  explicit Counters(sim::Metrics& metrics) : switch_cache::Counters{metrics, "netcache"} {}

  sim::Counter& hot_reports =
      m.counter("netcache.hot_reports", "packets", "by which the switch reported hot uncached keys");
  sim::Counter& updates =
      m.counter("netcache.updates", "packets", "cache updates that servers sent, repetitions included");
  sim::Counter& stale_updates = m.counter("netcache.stale_updates", "updates", "that the switch did not take");
  sim::Counter& held_writes =
      m.counter("netcache.held_writes", "writes", "that waited for a cache update of their key");
};

}  // namespace racksim::netcache
