// StarCache as a whole: assembly and its refusals, the off-switches of its mechanisms, faults (StarCache §3, §5.1).
#include "protocols/starcache/starcache.hpp"

#include <catch2/catch.hpp>

#include "models/faults/fault_menu.hpp"
#include "tests/protocols/starcache/rig.hpp"

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t kSeeds = 20;

// Whether an oracle notices, in one of the seeds, that a mechanism is off.
bool noticed(const StarCacheOptions& options, bool single_packets = false) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Setup setup = contended(seed);
    if (single_packets) setup.workload->small_share = 1;
    setup.limit = 5_ms;
    setup.drain = 5_ms;
    StarRig rig(setup, options);
    rig.run_workload();
    if (rig.violations() != "") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a rack without client nodes is refused") {
  StarCacheOptions options = small();
  options.server_nodes = 3;
  CHECK_THROWS_WITH(StarRig(Setup{}, options), Contains("so that some are clients"));
}

TEST_CASE("a cache that is larger than the lookup table is refused") {
  StarCacheOptions options = small();
  options.cache_size = 9;
  CHECK_THROWS_WITH(StarRig(Setup{}, options), Contains("9 keys") && Contains("8 entries"));
}

TEST_CASE("a queue whose size is no power of two, and a request table that no array holds, are refused") {
  StarCacheOptions options = small();
  options.queue_size = 6;
  CHECK_THROWS_WITH(StarRig(Setup{}, options), Contains("power of two"));
  options.queue_size = 256;
  options.cache_entries = 561;
  CHECK_THROWS_WITH(StarRig(Setup{}, options), Contains("561 keys") && Contains("at most 560 keys"));
  options.cache_entries = 560;
  CHECK_NOTHROW(StarRig(Setup{}, options));
}

TEST_CASE("where items of several packets may not be cached, values that need them are refused") {
  StarCacheOptions options = small();
  options.multi_packet = false;
  Setup setup;
  setup.items.large_value_bytes = 1408;  // 1460 bytes of payload less 36 of headers and 16 of key
  CHECK_NOTHROW(StarRig(setup, options));
  setup.items.large_value_bytes = 1409;
  CHECK_THROWS_WITH(StarRig(setup, options), Contains("multi_packet is off"));
}

TEST_CASE("a key longer than a packet is refused") {
  Setup setup;
  setup.items.key_bytes = 1500;
  CHECK_THROWS_WITH(StarRig(setup, small()), Contains("so that a value has room"));
}

TEST_CASE("with all mechanisms on, seeds of contended writes satisfy every oracle") {
  CHECK_FALSE(noticed(busy()));
}

TEST_CASE("without invalidation, clients read stale values, in either coherence") {
  StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
  options.invalidate = false;
  CHECK(noticed(options));
}

TEST_CASE("without the drop of stale cache packets, clients read stale values, in either coherence") {
  StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
  options.drop_stale = false;
  CHECK(noticed(options));
}

TEST_CASE("without the flag that asks for the value, clients read what is no value, in either coherence") {
  StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
  options.set_flag = false;
  CHECK(noticed(options, true));
}

TEST_CASE("without the check of returned keys, clients are given other keys, in either coherence") {
  StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
  options.hash_bits = 2;
  CHECK_FALSE((options.coherence == Coherence::versions && noticed(options)));
  options.collision_check = false;
  CHECK(noticed(options, true));
}

TEST_CASE("the printed coherence, with all its mechanisms on, is noticed too") {
  CHECK(noticed(busy(Coherence::paper), true));
}

TEST_CASE("StarCache survives each kind of fault that it promises to, and their mixture") {
  std::vector<std::vector<std::string>> menus;
  for (const auto& entry : models::protocols()) {
    if (entry.name != "starcache") continue;
    for (const std::string& kind : entry.tolerates) menus.push_back({kind});
    menus.push_back(entry.tolerates);
  }
  REQUIRE(menus.size() > 1);
  for (const auto& kinds : menus) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Setup setup = contended(seed);
      setup.rack.nodes = 5;
      setup.limit = 5_ms;
      setup.drain = 40_ms;
      StarRig rig(setup, busy());
      sim::RandomStream menu(seed, "faults");
      for (auto& drawn : models::draw_faults(menu, {setup.rack.nodes, 600_us}, kinds)) {
        rig.faults.add(drawn.kind, drawn.fault);
      }
      rig.run_workload();
      INFO(kinds.front() << (kinds.size() > 1 ? " and others" : "") << ", seed " << seed);
      CHECK(rig.violations() == "");
      CHECK(rig.protocol->quiescent());
    }
  }
}

TEST_CASE("the switch's state of a cached key is shown, of an uncached one nothing") {
  StarRig rig;
  rig.run(20_us);
  CHECK(rig.star.switch_state_of(kHot).size() == 4);  // STATE, QUEUE, FRONT, REAR
  CHECK(rig.star.switch_state_of(kCold).empty());
}

TEST_CASE("packets that circulate do not keep StarCache from being at rest, a fetch under way does") {
  StarRig rig;
  rig.run(2_us);
  CHECK_FALSE(rig.protocol->quiescent());
  rig.run(30_us);
  CHECK(rig.circulating() == 1);
  CHECK(rig.protocol->quiescent());
  CHECK(rig.protocol->leaks().empty());
}
