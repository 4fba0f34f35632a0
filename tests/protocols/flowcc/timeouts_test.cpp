// Timeouts that are shorter than what they wait for cost packets, not progress: both double with each retransmission.
//
// Home agents that need 5 us for a packet serve two threads of each of four nodes on lossless wires. Without the
// doubling, an unlock that is sent every 2.2 us until it is acknowledged fills the home agents' receive rings with
// copies of itself, requests are dropped, and the rack never gets 1,500 operations done.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/rig.hpp"

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
    setup.operations = 1'500;
    setup.limit = 100_ms;
    Rig rig(setup);
    rig.run();
    INFO("seed " << seed);
    CHECK(rig.violations() == "");
    CHECK(rig.protocol->measured_operations() >= setup.operations);
    // The scenario is what it says: timeouts are spurious, and nothing is lost.
    CHECK(rig.counter("unlock_retransmissions") > 0);
    CHECK(rig.rack.census().dropped() == 0);
  }
}
