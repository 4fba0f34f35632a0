// NetCache under loss, duplication and reordering: coherent with all mechanisms on, and the oracle that notices each
// one that is off.
//
// What goes wrong without it:
//  * invalidate: a write is acknowledged by its server while the switch still serves the value before it.
//  * ordered_updates: the update of an earlier write, which comes late or as a copy, makes a key valid whose later
//  write
//    has been acknowledged.
#include <catch2/catch.hpp>

#include "tests/protocols/netcache/netcache_run.hpp"

namespace net_safety_test {

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::netcache::testing;
using Catch::Contains;

namespace {

constexpr std::uint64_t kSeeds = 30;

Setup lossy(std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  setup.rack.faults = harsh();
  setup.measure(1'500);
  return setup;
}

}  // namespace

TEST_CASE("NetCache is linearizable under loss, duplication and reordering", "[lossy]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    NetCacheRun run(lossy(seed));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    REQUIRE(run.hits() > 50);
    REQUIRE(run.counter("netcache.stale_updates") > 0);
  }
}

TEST_CASE("NetCache is linearizable under each of loss, duplication and reordering", "[lossy]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const auto only : {&models::WireFaults::loss, &models::WireFaults::duplicate, &models::WireFaults::reorder}) {
      Setup setup = lossy(seed);
      setup.rack.faults = {};
      setup.rack.faults.reorder_delay = 20_us;
      setup.rack.faults.*only = harsh().*only;
      NetCacheRun run(setup);
      run.finish();
      INFO("seed " << seed);
      REQUIRE(run.violations() == "");
    }
  }
}

TEST_CASE("NetCache is linearizable under faults while keys are replaced, inserted and evicted again", "[lossy]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Setup setup = lossy(seed);
    setup.netcache.updates = true;
    setup.netcache.cache_entries = 4;
    setup.netcache.threshold = 2;
    setup.workload->swap_interval = 300_us;
    setup.measure(3'000);
    setup.rounds = true;
    NetCacheRun run(setup);
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    REQUIRE(run.counter("netcache.evictions") > 0);
  }
}

TEST_CASE("without invalidation, a stale value is read even on clean wires") {
  std::string noticed;
  for (std::uint64_t seed = 1; seed <= kSeeds && noticed.empty(); ++seed) {
    Setup setup = lossy(seed);
    setup.rack.faults = {};
    setup.netcache.invalidate = false;
    NetCacheRun run(setup);
    run.finish();
    noticed = run.violations();
  }
  CHECK_THAT(noticed, Contains("data-value"));
}

TEST_CASE("without the order of updates, a stale value is read under reordering") {
  std::string noticed;
  for (std::uint64_t seed = 1; seed <= kSeeds && noticed.empty(); ++seed) {
    Setup setup = lossy(seed);
    setup.netcache.ordered_updates = false;
    NetCacheRun run(setup);
    run.finish();
    noticed = run.violations();
  }
  CHECK_THAT(noticed, Contains("data-value"));
}

}  // namespace net_safety_test
