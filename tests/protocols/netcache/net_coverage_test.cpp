// The coverage map of NetCache: what is declared, and that runs mark it where it happens.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "models/service/protocol.hpp"
#include "protocols/netcache/coverage.hpp"
#include "protocols/netcache/messages.hpp"
#include "protocols/netcache/netcache.hpp"
#include "protocols/starcache/messages.hpp"
#include "tests/protocols/store/store_run.hpp"

namespace net_coverage_test {

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::store::testing;

namespace {

constexpr sim::Key kHot = 7, kCold = 8;
constexpr models::NodeId kServerNode = 2;

NetCacheOptions few_keys() {
  auto options = small_store<NetCacheOptions>();
  options.preload = 1;
  options.cache_entries = 8;
  options.update_timeout = 40_us;
  options.fetch_timeout = 30_us;
  return options;
}

/// Whether the pair of that name, or any point whose name has that part, has been reached.
bool reached(const sim::Coverage& coverage, const std::string& name) {
  const bool pair = name.find(" / ") != std::string::npos;
  for (std::size_t point = 0; point < coverage.map().points(); ++point) {
    const std::string full = coverage.map().name_of(point);
    if ((pair ? full == name : full.find(name) != std::string::npos) && coverage.reached(point)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("NetCache declares its map, in which every point has a name of its own") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("netcache")->coverage;
  std::set<std::string> names;
  for (std::size_t point = 0; point < map.points(); ++point) names.insert(map.name_of(point));
  CHECK(names.size() == map.points());
  CHECK(map.states[static_cast<std::size_t>(KeyState::not_cached)] == "not cached");
  CHECK(map.states[static_cast<std::size_t>(KeyState::invalid)] == "invalid");
  CHECK(map.states[static_cast<std::size_t>(KeyState::valid)] == "valid");
  CHECK(map.messages[switch_cache::coverage_message(netcache::kMessages, netcache::kCacheUpdate)] == "UPDATE");
  CHECK(switch_cache::coverage_message(netcache::kMessages, starcache::kReport) == switch_cache::kNoMessage);
  CHECK(map.race_points[netcache::races.late_answer.number] == "client: an answer to a request that is over");
  CHECK(map.race_points[netcache::races.revived_invalid.number] == map.race_points.back());
  const auto& entries = models::protocols();
  const auto entry = std::find_if(entries.begin(), entries.end(), [](const auto& e) { return e.name == "netcache"; });
  REQUIRE(entry != entries.end());
  CHECK(entry->coverage.points() == map.points());
}

TEST_CASE("a script marks the states that NetCache's messages meet and the races that it makes happen") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("netcache")->coverage;
  sim::Coverage coverage(map);
  Setup setup;
  setup.script.hottest = {kHot};
  setup.mark(coverage);
  StoreRun run(setup, "netcache", few_keys());
  CHECK(coverage.count().pairs == 0);
  run.get_now(kAlice, kHot);
  CHECK(reached(coverage, "valid / R-REQ"));
  CHECK_FALSE(reached(coverage, "invalid / R-REQ"));
  run.get_now(kAlice, kCold);
  CHECK(reached(coverage, "not cached / R-REQ"));
  CHECK(reached(coverage, "not cached / R-REP of a server"));
  run.put_now(kAlice, kHot);
  run.advance(20_us);
  CHECK(reached(coverage, "valid / W-REQ"));
  CHECK(reached(coverage, "invalid / UPDATE"));
  CHECK_FALSE(reached(coverage, "overtaken"));
  CHECK_FALSE(reached(coverage, "waits for an update"));
  run.put(kAlice, kHot);
  run.advance(500_ns);
  run.put(kBob, kHot);
  run.advance(100_us);
  CHECK(reached(coverage, "waits for an update"));
  CHECK(reached(coverage, "invalid / W-REQ"));
  CHECK(reached(coverage, "overtaken"));
  CHECK_FALSE(reached(coverage, "an update is sent again"));
  StoreRun::lose(run.rack.uplink(kServerNode), netcache::kCacheUpdate);
  run.put(kAlice, kHot);
  run.advance(200_us);
  CHECK(reached(coverage, "an update is sent again"));
  CHECK_FALSE(reached(coverage, "a crash forgets"));
  StoreRun::lose(run.rack.uplink(kServerNode), netcache::kCacheUpdate);
  run.put(kAlice, kHot);
  run.advance(20_us);
  run.rack.crash(kServerNode);
  CHECK(reached(coverage, "a crash forgets"));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("marking what a run of NetCache exercises does not change the run") {
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("netcache")->coverage;
  sim::Coverage coverage(map);
  std::string hashes[2];
  for (const bool marked : {false, true}) {
    Setup setup;
    models::KeyValueOptions workload;
    workload.threads = 2;
    workload.keys = 12;
    workload.write_ratio = 0.3;
    workload.rate = 500'000;
    workload.small_share = 0.7;
    workload.swap_keys = 4;
    setup.workload = workload;
    setup.rack.faults.loss = 0.01;
    setup.rack.faults.duplicate = 0.05;
    if (marked) setup.mark(coverage);
    NetCacheOptions options = few_keys();
    options.preload = 12;
    StoreRun run(setup, "netcache", options);
    run.finish();
    hashes[marked] = run.hash();
  }
  CHECK(hashes[0] == hashes[1]);
  CHECK(coverage.count().pairs > 12);
}

}  // namespace net_coverage_test
