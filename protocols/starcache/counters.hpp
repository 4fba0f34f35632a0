// What StarCache counts beside the application's counters, under "starcache.".
#pragma once

#include "protocols/cached_store/counters.hpp"

namespace racksim::starcache {

struct Counters : cached_store::Counters {
  explicit Counters(sim::Metrics& m)
      : cached_store::Counters(m, "starcache"),
        reports(m.counter("starcache.reports", "packets", "top-k reports that servers sent, repetitions included")) {}

  sim::Counter& reports;
};

}  // namespace racksim::starcache
