// Determinism of FlowCC runs: what must leave the run hash alone, what must change it, and orders of simultaneous
// events.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/control/migration_run.hpp"

namespace flowcc_fused_stepped_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

Setup small_setup(std::uint64_t seed, bool with_faults) {
  Setup setup;
  setup.seed = seed;
  setup.measure(600);
  if (with_faults) setup.rack.faults = lossy();
  return setup;
}

sim::RunHash hash_of(const Setup& setup) {
  FlowCcRun run(setup);
  run.finish();
  INFO(run.violations());
  CHECK(run.violations().empty());
  return run.event_log.hash();
}

}  // namespace

TEST_CASE("fused and stepped execution of the switch have equal run hashes") {
  for (const bool with_faults : {false, true}) {
    for (const auto ownership : {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Setup setup = small_setup(seed, with_faults);
        setup.flowcc.ownership = ownership;
        const std::string fused = hash_of(setup).hex();
        setup.plan.execution = tools::Execution::stepped;
        INFO("seed " << seed << (with_faults ? ", faults" : "")
                     << (ownership == FlowCcOptions::Ownership::home ? ", home" : ", switch"));
        CHECK(fused == hash_of(setup).hex());
      }
    }
  }
}

TEST_CASE("fused and stepped execution of the switch have equal run hashes where blocks migrate") {
  const auto hash_of_moves = [](Setup setup, tools::Execution execution) {
    setup.plan.execution = execution;
    MigratingRun run(setup);
    run.finish();
    CHECK(run.violations() == "");
    CHECK(run.migration_counter("removed") >= 20);
    return run.hash();
  };
  for (const bool with_faults : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      INFO("seed " << seed << (with_faults ? ", faults" : ""));
      const Setup setup = with_faults ? harshly_migrating(seed) : migrating(seed);
      CHECK(hash_of_moves(setup, tools::Execution::fused) == hash_of_moves(setup, tools::Execution::stepped));
    }
  }
}

TEST_CASE("the same seed gives the same run hash, another seed another one") {
  for (const bool with_faults : {false, true}) {
    const sim::RunHash once = hash_of(small_setup(1, with_faults));
    CHECK(once == hash_of(small_setup(1, with_faults)));
    CHECK(once != hash_of(small_setup(2, with_faults)));
  }
}

TEST_CASE("observers leave the run hash alone") {
  Setup setup = small_setup(1, true);
  const sim::RunHash watched = hash_of(setup);
  setup.check = "{}";
  CHECK(watched == hash_of(setup));
}

TEST_CASE("every order of simultaneous events satisfies every oracle") {
  using sim::TieOrder;
  for (const auto order : {TieOrder::fifo, TieOrder::lifo, TieOrder::shuffle}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Setup setup = small_setup(seed, seed % 2 == 0);
      setup.plan.order.ties = order;
      setup.plan.order.seed = seed;
      // Costs and delays on a coarse grid, so that many events fall on one picosecond.
      setup.rack.network_switch.clock_hz = 1'000'000'000;
      setup.flowcc.local_access = 100_ns;
      INFO("order " << static_cast<int>(order) << ", seed " << seed);
      FlowCcRun run(setup);
      run.finish();
      REQUIRE(run.violations() == "");
    }
  }
}

}  // namespace flowcc_fused_stepped_test
