// What the client-server application counts, under "store.".
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::store {

struct Counters {
  explicit Counters(sim::Metrics& m)
      : requests(
            m.counter("store.requests", "packets", "requests that clients sent, fragments and repetitions included")),
        timeouts(m.counter("store.timeouts", "attempts", "that got no answer in time")),
        corrections(m.counter("store.corrections", "requests", "CRN-REQs sent because a reply was about another key")),
        refusals(m.counter("store.refused_writes", "writes", "sent again because a server refused them")),
        torn_items(m.counter("store.torn_items", "answers", "whose packets were of different values")),
        served(m.counter("store.served", "requests", "that servers answered")),
        duplicate_writes(m.counter("store.duplicate_writes", "requests", "for writes that had taken effect before")) {}

  sim::Counter &requests, &timeouts, &corrections, &refusals, &torn_items, &served, &duplicate_writes;
};

}  // namespace racksim::store
