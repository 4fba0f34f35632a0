// What StarCache counts beside the application's counters, under "starcache.".
#pragma once

#include "sim/metrics.hpp"

namespace racksim::starcache {

struct Counters {
  explicit Counters(sim::Metrics& m)
      : installs(m.counter("starcache.installs", "keys", "that the controller inserted into the lookup table")),
        evictions(m.counter("starcache.evictions", "keys", "that it removed")),
        fetches(m.counter("starcache.fetches", "packets", "F-REQs that it sent")),
        failed_fetches(m.counter("starcache.failed_fetches", "keys", "whose servers did not answer")),
        revivals(m.counter("starcache.revivals", "keys",
                           "fetched again because their value had been lost or stayed invalid")),
        reports(m.counter("starcache.reports", "packets", "top-k reports that servers sent, repetitions included")),
        rounds(m.counter("starcache.rounds", "rounds", "of the controller")) {}

  sim::Counter &installs, &evictions, &fetches, &failed_fetches, &revivals, &reports, &rounds;
};

}  // namespace racksim::starcache
