// Scripts of threads that lock blocks while the switch and nodes fail.
#pragma once

#include "tests/protocols/flowcc/control/migration_run.hpp"
#include "tests/protocols/flowcc/node/lock_run.hpp"

namespace racksim::flowcc::testing {

/// By a script, with the looks of the membership and of the coordinator.
class LookingScript : public FlowCcScript {
 public:
  explicit LookingScript(const Setup& s) : FlowCcScript(s), lane_(calendar.add_lane("test/looks")) { look_later(); }

 private:
  void look_later() {
    calendar.after<&LookingScript::look>(protocol->recovery()->membership().interval(), lane_, *this);
  }
  void look() {
    protocol->recovery()->look();
    protocol->recovery()->membership().look();
    look_later();
  }
  sim::Lane lane_;
};
using LockRecovery = LockScript<LookingScript>;

/// Blocks stay at home: nothing is hot.
inline Setup at_rest() {
  Setup setup = migrating(1);
  setup.flowcc.migration.epoch = 500_ms;
  setup.flowcc.shadow.scan_period = 500_ms;
  setup.flowcc.recovery.membership.lease = 60_us;
  return setup;
}

inline models::GlobalAddress at_home(NodeId home, std::uint64_t i) {
  return models::GlobalAddress::at(home, i * 4096);
}

}  // namespace racksim::flowcc::testing
