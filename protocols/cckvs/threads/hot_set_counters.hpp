// What is counted about keys that come into the caches and go.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::cckvs {

struct HotSetCounters {
  sim::Metrics& m;
  sim::Counter& epochs = m.counter("cckvs.hot_set.epochs", "epochs", "that the coordinator has ended");
  sim::Counter& samples = m.counter("cckvs.hot_set.samples", "requests", "that the coordinator has counted");
  sim::Counter& installs = m.counter("cckvs.hot_set.installs", "keys", "that came into all caches");
  sim::Counter& evictions = m.counter("cckvs.hot_set.evictions", "keys", "that went back to their homes");
  sim::Counter& write_backs = m.counter("cckvs.hot_set.write_backs", "keys",
                                        "of those that went, written back because a cache had changed them (§4)");
  sim::Counter& moved = m.counter("cckvs.hot_set.moved", "operations",
                                  "that a cache had begun and the key's home carried out, the key having left");
  sim::Counter& held = m.counter("cckvs.hot_set.held", "requests", "that a home did not answer at once");
  sim::Counter& messages =
      m.counter("cckvs.hot_set.messages", "messages", "that nodes have sent each other about changes");
};

}  // namespace racksim::cckvs
