// What StarCache counts beside the application's counters, under "starcache.".
#pragma once

#include "protocols/switch_cache/counters.hpp"

namespace racksim::starcache {

struct Counters : switch_cache::Counters {
  explicit Counters(sim::Metrics& m)
      : switch_cache::Counters(m, "starcache"),
        reports(m.counter("starcache.reports", "packets", "top-k reports that servers sent, repetitions included")) {}

  sim::Counter& reports;
};

}  // namespace racksim::starcache
