// FlowCC end to end under every oracle.
#include "protocols/flowcc/flowcc.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/rig.hpp"

using namespace racksim::flowcc::testing;

TEST_CASE("a fault-free run satisfies every oracle and comes to rest") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setup setup;
    setup.seed = seed;
    Rig rig(setup);
    rig.run();
    CHECK(rig.violations() == "");
    CHECK(rig.protocol->quiescent());
    CHECK(rig.protocol->measured_operations() >= setup.operations);
  }
}

TEST_CASE("200 seeds of loss, duplication and reordering satisfy every oracle", "[lossy]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.rack.faults = lossy();
    Rig rig(setup);
    rig.run();
    INFO("seed " << seed);
    REQUIRE(rig.violations() == "");
  }
}
