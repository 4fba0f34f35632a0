// Runs in which blocks change owners all the time: a switch with room for few of the hot blocks, epochs of 20 us, and a
// shadow node that keeps half of the places free.
#pragma once

#include <string>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace racksim::flowcc::testing {

/// Four memory nodes and the shadow node's server.
inline Setup migrating(std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  setup.rack.nodes = 5;
  setup.flowcc.ownership = FlowCcOptions::Ownership::migrating;
  setup.flowcc.ways = 2;
  setup.flowcc.entries_per_way = 4;
  setup.flowcc.migration.epoch = 20_us;
  setup.flowcc.migration.top_k = 4;
  setup.flowcc.shadow.scan_period = 20_us;
  setup.flowcc.shadow.free_share = 0.5;
  setup.micro.shared_bytes = 16 * 4096;
  setup.measure(1'500);
  setup.plan.stall = 5_ms;
  setup.plan.drain = 5_ms;
  return setup;
}

/// Faults that hold packets back for longer than migrations take.
inline Setup harshly_migrating(std::uint64_t seed) {
  Setup setup = migrating(seed);
  setup.rack.faults.loss = 0.02;
  setup.rack.faults.duplicate = 0.1;
  setup.rack.faults.reorder = 0.2;
  setup.rack.faults.reorder_delay = 40_us;
  return setup;
}

/// With a server that crashes, for good or until an instant, and leases that are short.
inline Setup crashing(Setup setup, unsigned server, const std::string& from, const std::string& until = "") {
  const std::string end = until.empty() ? R"("stays_down": true)" : R"("until": ")" + until + "\"";
  setup.add_fault("crash", R"({"node": )" + std::to_string(server) + R"(, "from": ")" + from + "\", " + end + "}");
  setup.flowcc.recovery.membership.lease = 60_us;
  return setup;
}

/// With a switch that loses its power, and its state.
inline Setup losing_switch(Setup setup, const std::string& from = "500us", const std::string& dead_time = "50us") {
  setup.add_fault("switch-restart", R"({"from": ")" + from + R"(", "dead_time": ")" + dead_time + R"("})");
  return setup;
}

/// With the shadow node's scans and the membership's looks, which actors ask for where there are actors.
class MigratingRun : public FlowCcRun {
 public:
  explicit MigratingRun(const Setup& s) : FlowCcRun(s), lane_(calendar.add_lane("scans")) {
    scan_later();
    look_later();
  }

  std::uint64_t migration_counter(const std::string& name) const { return counter("migration." + name); }

 private:
  void scan_later() { calendar.after<&MigratingRun::scan>(setup.flowcc.shadow.scan_period, lane_, *this); }
  void scan() {
    protocol->shadows()->scan();
    scan_later();
  }
  void look_later() {
    calendar.after<&MigratingRun::look>(protocol->recovery()->membership().interval(), lane_, *this);
  }
  void look() {
    protocol->recovery()->membership().look();
    look_later();
  }
  sim::Lane lane_;
};

}  // namespace racksim::flowcc::testing
