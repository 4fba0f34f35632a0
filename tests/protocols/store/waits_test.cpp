// What people read of a run of a store that stands still: which key a client waits for, and whom.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "protocols/netcache/messages.hpp"
#include "protocols/netcache/netcache.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace store_waits_test {

using namespace racksim;
using namespace racksim::sim::literals;
using store::Op;
using store::testing::kAlice;
using store::testing::kBob;
using store::testing::StoreRun;

namespace {

constexpr sim::Key kKey = 7;
constexpr models::NodeId kServerNode = 2;
constexpr std::uint64_t kAlways = 1'000'000;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Until nothing has ended for a while, while clients still try.
store::testing::Setup standing_still(std::vector<sim::Key> hottest = {}) {
  store::testing::Setup setup;
  setup.script.hottest = std::move(hottest);
  setup.plan.stall = 500_us;
  return setup;
}

}  // namespace

TEST_CASE("a client whose requests are lost waits for the key's server, and says how often it has tried") {
  nocache::testing::NoCacheRun run(standing_still());
  for (const Op op : {Op::read_request, Op::correction_request}) StoreRun::lose(run.rack.uplink(0), op, kAlways);
  run.get(kAlice, kKey);
  run.advance(700_us);
  run.finish();
  CHECK(run.found("stall"));
  CHECK_THAT(joined(run.stall()),
             Catch::Contains("node0/thread0 waits for server 0 of node2: an answer to the get of key 0x7") &&
                 Catch::Contains("2 attempts in vain") && !Catch::Contains("in a circle"));
}

TEST_CASE(
    "a write behind an update that the switch does not acknowledge waits for a server that waits for the switch") {
  auto options = store::testing::small_store<netcache::NetCacheOptions>();
  options.preload = 1;
  options.cache_entries = 8;
  options.update_timeout = 40_us;
  StoreRun run(standing_still({kKey}), "netcache", options);
  StoreRun::lose(run.rack.uplink(kServerNode), netcache::kCacheUpdate, kAlways);
  run.put(kAlice, kKey);
  run.advance(20_us);
  run.put(kBob, kKey);
  run.advance(700_us);
  run.finish();
  CHECK(run.found("stall"));
  CHECK_THAT(joined(run.stall()),
             Catch::Contains("node1/thread0 waits for server 0 of node2: an answer to the put of key 0x7") &&
                 Catch::Contains("server 0 of node2 waits for switch: the acknowledgement of an update of key "
                                 "0x7, sent ") &&
                 Catch::Contains("; 1 writes wait for it") && !Catch::Contains("in a circle"));
}

TEST_CASE("a read of a cached key waits for the switch, in which the key's packet goes round") {
  auto setup = standing_still({kKey});
  // A round takes longer than anybody waits.
  setup.rack.network_switch.recirculation_bits_per_second = 100'000;
  starcache::testing::StarCacheRun run(setup);
  run.advance(20_us);
  run.get(kAlice, kKey);
  run.advance(190_us);
  run.put(kBob, kKey + 1);
  CHECK_THAT(joined(run.waits()),
             Catch::Contains("node0/thread0 waits for switch: an answer to the get of key 0x7") &&
                 Catch::Contains("node1/thread0 waits for server 0 of node2: an answer to the put of key "
                                 "0x8"));
}

}  // namespace store_waits_test
