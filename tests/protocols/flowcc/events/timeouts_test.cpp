// Timeouts that are shorter than what they wait for cost packets, not progress: both double with each retransmission.
//
// Home agents that need 5 us for a packet serve two threads of each of four nodes on lossless wires. Without the
// doubling, an unlock that is sent every 2.2 us until it is acknowledged fills the home agents' receive rings with
// copies of itself, requests are dropped, and the rack never gets 1,500 operations done.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace timeouts_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

TEST_CASE("home agents that are slower than the timeouts delay operations but do not stop them") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.flowcc.ownership = FlowCcOptions::Ownership::home;
    setup.flowcc.home_agent_work = 5_us;
    setup.flowcc.unlock_timeout_rtts = 1;
    setup.plan.expect_timeouts = true;
    setup.measure(1'500);
    FlowCcRun run(setup);
    run.finish();
    INFO("seed " << seed);
    CHECK(run.violations() == "");
    CHECK(run.protocol->measured_operations() >= *setup.plan.measure.operations);
    // The scenario is what it says: timeouts are spurious, and nothing is lost.
    CHECK(run.counter("unlock_retransmissions") > 0);
    CHECK(run.rack.accounting().dropped() == 0);
  }
}

}  // namespace timeouts_test
