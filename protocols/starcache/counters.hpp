// What StarCache counts beside the application's counters, under "starcache.".
#pragma once

#include "protocols/switch_cache/counters.hpp"

namespace racksim::starcache {

struct Counters : switch_cache::Counters {
  explicit Counters(sim::Metrics& metrics) : switch_cache::Counters{metrics, "starcache"} {}

  sim::Counter& reports =
      m.counter("starcache.reports", "packets", "top-k reports that servers sent, repetitions included");
};

}  // namespace racksim::starcache
