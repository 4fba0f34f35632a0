// NoCache with clients in one rack and servers in another: its switches forward.
#include <catch2/catch.hpp>

#include "tests/protocols/nocache/nocache_run.hpp"

namespace nocache_racks_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;

TEST_CASE("without a cache clients reach servers in another rack, over wires that lose and reorder too") {
  const bool lossy = GENERATE(false, true);
  Setup setup;
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = 1;
  setup.workload = contended_keys(20, 300'000);
  if (lossy) {
    setup.rack.faults.loss = 0.01;
    setup.rack.faults.reorder = 0.02;
    setup.rack.faults.reorder_delay = 10_us;
  }
  NoCacheRun run(setup, small());
  run.finish();
  CHECK(run.violations() == "");
  // Each request and each answer passes three switches: the spine all of them.
  CHECK(run.counter("spine.ingress_passes") >= 2 * run.counter("store.answers"));
  CHECK(run.counter("tor1.ingress_passes") >= run.counter("spine.ingress_passes") * 9 / 10);
}

TEST_CASE("servers of a store without a cache may be in several racks") {
  Setup setup;
  setup.rack.nodes = 4;
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = 1;
  setup.workload = contended_keys(20, 300'000);
  auto options = small();
  options.server_nodes = 2;
  NoCacheRun run(setup, options);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace nocache_racks_test
