// What NetCache counts beside the application's counters, under "netcache.".
#pragma once

#include "sim/metrics.hpp"

namespace racksim::netcache {

struct Counters {
  explicit Counters(sim::Metrics& m)
      : installs(m.counter("netcache.installs", "keys", "that the controller inserted into the lookup table")),
        evictions(m.counter("netcache.evictions", "keys", "that it removed")),
        fetches(m.counter("netcache.fetches", "packets", "F-REQs that it sent")),
        failed_fetches(m.counter("netcache.failed_fetches", "keys", "whose servers did not answer")),
        revivals(m.counter("netcache.revivals", "keys", "fetched again because their value stayed invalid")),
        rounds(m.counter("netcache.rounds", "rounds", "of the controller")),
        hot_reports(m.counter("netcache.hot_reports", "packets", "by which the switch reported hot uncached keys")),
        updates(m.counter("netcache.updates", "packets", "cache updates that servers sent, repetitions included")),
        stale_updates(m.counter("netcache.stale_updates", "updates", "that the switch did not take")),
        held_writes(m.counter("netcache.held_writes", "writes", "that waited for a cache update of their key")) {}

  sim::Counter &installs, &evictions, &fetches, &failed_fetches, &revivals, &rounds, &hot_reports, &updates,
      &stale_updates, &held_writes;
};

}  // namespace racksim::netcache
