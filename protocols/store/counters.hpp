// What the client-server application counts, under "store.".
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::store {

struct Counters {
  sim::Metrics& m;
  sim::Counter& requests =
      m.counter("store.requests", "packets", "requests that clients sent, fragments and repetitions included");
  sim::Counter& timeouts = m.trouble("store.timeouts", "attempts", "that got no answer in time");
  sim::Counter& corrections =
      m.counter("store.corrections", "requests", "CRN-REQs sent because a reply was about another key");
  sim::Counter& refusals = m.counter("store.refused_writes", "writes", "sent again because a server refused them");
  sim::Counter& torn_items = m.trouble("store.torn_items", "answers", "whose packets were of different values");
  sim::Counter& served = m.counter("store.served", "requests", "that servers answered");
  sim::Counter& duplicate_writes =
      m.counter("store.duplicate_writes", "requests", "for writes that had taken effect before");
};

}  // namespace racksim::store
