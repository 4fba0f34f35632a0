// How busy a port is said to be, against what was asked of it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/protocols/cckvs/cckvs_run.hpp"

namespace loads_test {

using namespace racksim;
using namespace racksim::cckvs;
using namespace racksim::cckvs::testing;

namespace {

/// Nodes that ask each other all the time, over ports that take few packets a second: what NICs have handed over waits.
Setup overloaded() {
  Setup setup;
  setup.workload = contended_keys(4000, 0, 0.1);
  setup.workload->window = 64;
  setup.rack.network_switch.port_packets_per_second = 4'000'000;
  setup.plan.warmup = {};  // the burst of the beginning is in the window
  return setup;
}

}  // namespace

TEST_CASE("No port is said to be busier than all the time, and the one that is the limit is said to be") {
  for (const sim::Duration measured : {200_us, 400_us}) {
    Setup setup = overloaded();
    setup.plan.measure = {measured, {}};
    CckvsRun run(setup, small(Consistency::sc));
    run.finish();
    REQUIRE(run.violations().empty());
    const double in = run.gauge("cckvs.load.port_in"), out = run.gauge("cckvs.load.port_out");
    CHECK(in <= 1.01);
    CHECK(out <= 1.01);
    CHECK(std::max(in, out) >= 0.97);
  }
}

}  // namespace loads_test
