// What a store with a cache in the switch counts beside the application's counters, under the scheme's name.
#pragma once

#include <string>

#include "sim/metrics/metrics.hpp"

namespace racksim::switch_cache {

struct Counters {
  sim::Metrics& m;
  std::string scheme;
  sim::Counter& installs =
      m.counter(scheme + ".installs", "keys", "that the controller inserted into the lookup table");
  sim::Counter& evictions = m.counter(scheme + ".evictions", "keys", "that it removed");
  sim::Counter& hotter_evicted = m.counter(scheme + ".hotter_evicted", "keys",
                                           "of those, asked for more often in the round than a key that stayed");
  sim::Counter& fetches = m.counter(scheme + ".fetches", "packets", "F-REQs that it sent");
  sim::Counter& failed_fetches = m.trouble(scheme + ".failed_fetches", "keys", "whose servers did not answer");
  sim::Counter& revivals =
      m.counter(scheme + ".revivals", "keys", "fetched again because their value had been lost or stayed invalid");
  sim::Counter& rounds = m.counter(scheme + ".rounds", "rounds", "of the controller");
};

}  // namespace racksim::switch_cache
