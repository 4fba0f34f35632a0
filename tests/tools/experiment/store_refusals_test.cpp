// Key-value scenarios that cannot be run are refused before the run, with the reason: shipped scenarios with one thing
// wrong, as a person runs them.
#include <catch2/catch.hpp>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace store_refusals_test {

using namespace racksim::tools::testing;

namespace {

/// What `racksim run` says of the shipped scenario under these settings, having refused it.
std::string refusal(const std::string& settings, const std::string& scenario = "starcache/zipf-0.99.json") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_racksim(folder, "run " + racksim::places::source_folder() + "/scenarios/" + scenario + " " + settings);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

}  // namespace

TEST_CASE("a cache that does not fit the request table is refused with what fits") {
  CHECK_THAT(refusal("--set protocol.starcache.queue_size=256 --set protocol.starcache.cache_entries=561"),
             Catch::Contains("expected at most 560 keys with this queue size"));
  CHECK_THAT(refusal("--set protocol.starcache.queue_size=12"), Catch::Contains("expected a power of two"));
  CHECK_THAT(refusal("--set protocol.starcache.cache_size=5000"), Catch::Contains("4096 entries"));
}

TEST_CASE("items that no packet holds are refused") {
  CHECK_THAT(refusal("--set workload.large_value=3000B --set protocol.starcache.multi_packet=false"),
             Catch::Contains("3000 bytes") && Catch::Contains("multi_packet is off"));
  CHECK_THAT(refusal("--set workload.key_bytes=2000B"),
             Catch::Contains("/workload/key_bytes: found a key of 2000 bytes"));
}

TEST_CASE("a store without servers or without clients is refused") {
  CHECK_THAT(refusal("--set protocol.starcache.server_nodes=0"), Catch::Contains("from 1 to"));
  CHECK_THAT(refusal("--set protocol.starcache.server_nodes=8"), Catch::Contains("so that some are clients"));
}

TEST_CASE("roles of a memory service are refused, since a store places its servers itself") {
  CHECK_THAT(refusal("--set rack.roles.memory=2"), Catch::Contains("/rack/roles: ") && Catch::Contains("server_nodes"));
  CHECK_THAT(refusal("--set rack.roles.compute=6"), Catch::Contains("/rack/roles: "));
}

TEST_CASE("a switch that the program does not fit is refused with what ran out and where") {
  CHECK_THAT(refusal("--set rack.switch.pipe.stages=6"), Catch::Contains("does not fit") && Catch::Contains("stage"));
  CHECK_THAT(refusal("--set rack.switch.pipe.sram_blocks=9"),
             Catch::Contains("'CLIENT_IP'; stage 11 runs out of SRAM blocks"));
  CHECK_THAT(refusal("--set rack.nodes=20"), Catch::Contains("another pipe of the switch"));
}

TEST_CASE("caches for more keys than there are, and clients that SC does not hold for, are refused") {
  CHECK_THAT(refusal("--set workload.keys=1000 --set protocol.cckvs.cache_keys=1001", "cckvs/zipf-0.99-lin-1pct.json"),
             Catch::Contains("/protocol/cckvs/cache_keys: found 1001, expected at most the 1000 hottest keys"));
  CHECK_THAT(refusal("--set protocol.name=cckvs --set protocol.cckvs.consistency=sc", "cckvs/base.json"),
             Catch::Contains("/workload/clients: found clients that go from node to node"));
}

TEST_CASE("a workload of another kind of service is refused by the name of what it needs") {
  const TemporaryFolder folder;
  const auto file = folder.write("micro.json", R"({"version": 1, "rack": {"testbed": "starcache-8"},
      "protocol": {"name": "nocache"}, "workload": {"kind": "micro", "working_set": "1MiB"}})");
  const Outcome outcome = run_racksim(folder, "run " + file);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Catch::Contains("/workload/kind: found \"micro\", which needs a memory service"));
}

TEST_CASE("requests that come by another pipe than the cache packets circulate in are refused with that reason") {
  const std::string pipes = "starcache/two-racks-four-pipes.json";
  CHECK_THAT(refusal("--set rack.topology.uplinks=1", pipes),
             Catch::Contains("/rack/topology: found node 0, whose requests for node 9 come to tor1 by another pipe") &&
                 Catch::Contains("cache packets circulate in one"));
  CHECK_THAT(refusal("--set protocol.name=netcache", pipes),
             Catch::Contains("/rack/topology/pipes: found servers in 4"));
  CHECK_THAT(refusal("--set rack.topology.last_rack=2", pipes), Catch::Contains("/rack/topology/last_rack"));
}

TEST_CASE("protocols that say nothing of several switches are refused in several racks") {
  for (const char* scenario : {"flowcc/micro.json", "gam/micro-sharing-quick.json", "cckvs/base.json"}) {
    CHECK_THAT(refusal("--set rack.topology.racks=2", scenario),
               Catch::Contains("/rack/topology/racks: found 2 racks, expected one: "));
  }
}

}  // namespace store_refusals_test
