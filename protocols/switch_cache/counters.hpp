// What a store with a cache in the switch counts beside the application's counters, under the scheme's name.
#pragma once

#include <string>

#include "sim/metrics/metrics.hpp"

namespace racksim::switch_cache {

struct Counters {
  Counters(sim::Metrics& metrics, const std::string& scheme)
      : installs(metrics.counter(scheme + ".installs", "keys", "that the controller inserted into the lookup table")),
        evictions(metrics.counter(scheme + ".evictions", "keys", "that it removed")),
        hotter_evicted(metrics.counter(scheme + ".hotter_evicted", "keys",
                                       "of those, asked for more often in the round than a key that stayed")),
        fetches(metrics.counter(scheme + ".fetches", "packets", "F-REQs that it sent")),
        failed_fetches(metrics.counter(scheme + ".failed_fetches", "keys", "whose servers did not answer")),
        revivals(metrics.counter(scheme + ".revivals", "keys",
                                 "fetched again because their value had been lost or stayed invalid")),
        rounds(metrics.counter(scheme + ".rounds", "rounds", "of the controller")) {}

  sim::Counter &installs, &evictions, &hotter_evicted, &fetches, &failed_fetches, &revivals, &rounds;
};

}  // namespace racksim::switch_cache
