// FlowCC end to end under every oracle.
#include "protocols/flowcc/flowcc.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace flowcc_test {

using namespace racksim::flowcc::testing;

TEST_CASE("a fault-free run satisfies every oracle and comes to rest",
          "[claim:concordia-inv-swmr][claim:concordia-inv-data-value]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setup setup;
    setup.seed = seed;
    FlowCcRun run(setup);
    run.finish();
    CHECK(run.violations() == "");
    CHECK(run.protocol->quiescent());
    CHECK(run.protocol->measured_operations() >= *setup.plan.measure.operations);
  }
}

TEST_CASE("200 seeds of loss, duplication and reordering satisfy every oracle", "[lossy]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.rack.faults = lossy();
    FlowCcRun run(setup);
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
  }
}

TEST_CASE("metadata that do not say who holds a block are found at rest") {
  using racksim::flowcc::CacheEntry;
  using racksim::flowcc::FlowCcOptions;
  for (const auto ownership : {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home}) {
    Setup setup;
    setup.flowcc.ownership = ownership;
    FlowCcScript run(setup);
    const auto block = run.shared_block(0);
    const auto tag = run.protocol->block_of(block);
    run.access({1, 0}, block, false);
    run.access({2, 0}, block, false);
    CHECK(run.protocol->leaks().empty());
    const auto found = [&] {
      const auto leaks = run.protocol->leaks();
      return leaks.empty() ? std::string() : leaks.front().kind + ": " + leaks.front().what;
    };
    // A sharer that has lost its copy without telling, one that has taken the right to write, and an unknown one.
    CacheEntry& copy = *run.protocol->node(2).cache().find(tag);
    const CacheEntry before = copy;
    copy.state = CacheEntry::State::empty;
    CHECK_THAT(found(), Catch::Contains("wrong-metadata") && Catch::Contains("node 2 does not hold it"));
    copy = before;
    copy.state = CacheEntry::State::dirty;
    CHECK_THAT(found(), Catch::Contains("wrong-metadata") && Catch::Contains("node 2 holds it dirty"));
    copy = before;
    CHECK(found() == "");
    CacheEntry& stolen = *run.protocol->node(3).cache().free_entry(tag);
    stolen = before;
    CHECK_THAT(found(), Catch::Contains("wrong-metadata") && Catch::Contains("node 3 holds it clean"));
    run.finish();
    CHECK(run.violations({"wrong-metadata"}) == "");
  }
}

}  // namespace flowcc_test
