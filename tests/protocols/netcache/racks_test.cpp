// NetCache with clients in one rack and servers in another: the servers' switch caches.
#include <catch2/catch.hpp>

#include "tests/protocols/netcache/netcache_run.hpp"

namespace netcache_racks_test {

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::netcache::testing;

namespace {

Setup in_two_racks() {
  Setup setup;
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = setup.netcache.server_nodes;
  return setup;
}

}  // namespace

TEST_CASE("the servers' switch alone caches small values for clients in another rack") {
  const bool lossy = GENERATE(false, true);
  Setup setup = in_two_racks();
  setup.rounds = true;
  if (lossy) setup.rack.faults = harsh();
  NetCacheRun run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.answers_by_switch") > 0);
  CHECK(run.rack.chassis(0).pipeline(0).program().name() == "l2l3-forwarding");
  CHECK(run.rack.chassis(1).pipeline(0).program().name() == "netcache");
}

TEST_CASE("servers in several pipes of their switch are refused, since NetCache is modelled for one") {
  Setup setup = in_two_racks();
  setup.rack.topology.pipes = 2;
  CHECK_THROWS_WITH(NetCacheRun(setup),
                    Catch::Contains("servers in 2 pipes of their switch") && Catch::Contains("all in the first"));
}

}  // namespace netcache_racks_test
