// StarCache as a whole: assembly and its refusals, the off-switches of its mechanisms, faults (StarCache §3, §5.1).
#include "protocols/starcache/starcache.hpp"

#include <catch2/catch.hpp>

#include "models/service/tolerated.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace starcache_test {

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
    setup.plan.drain = 5_ms;
    StarCacheRun run(setup, options);
    run.finish();
    if (run.violations() != "") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a rack without client nodes is refused") {
  StarCacheOptions options = small();
  options.server_nodes = 3;
  CHECK_THROWS_WITH(StarCacheRun(Setup{}, options), Contains("so that some are clients"));
}

TEST_CASE("a cache that is larger than the lookup table is refused") {
  StarCacheOptions options = small();
  options.cache_size = 9;
  CHECK_THROWS_WITH(StarCacheRun(Setup{}, options), Contains("9 keys") && Contains("8 entries"));
}

TEST_CASE("a queue whose size is no power of two, and a request table that no array holds, are refused") {
  StarCacheOptions options = small();
  options.queue_size = 6;
  CHECK_THROWS_WITH(StarCacheRun(Setup{}, options), Contains("power of two"));
  options.queue_size = 256;
  options.cache_entries = 561;
  CHECK_THROWS_WITH(StarCacheRun(Setup{}, options), Contains("561 keys") && Contains("at most 560 keys"));
  options.cache_entries = 560;
  CHECK_NOTHROW(StarCacheRun(Setup{}, options));
}

TEST_CASE("where items of several packets may not be cached, values that need them are refused") {
  StarCacheOptions options = small();
  options.multi_packet = false;
  Setup setup;
  setup.script.items.large_value_bytes = 1408;  // 1460 bytes of payload less 36 of headers and 16 of key
  CHECK_NOTHROW(StarCacheRun(setup, options));
  setup.script.items.large_value_bytes = 1409;
  CHECK_THROWS_WITH(StarCacheRun(setup, options), Contains("multi_packet is off"));
}

TEST_CASE("a key longer than a packet is refused") {
  Setup setup;
  setup.script.items.key_bytes = 1500;
  CHECK_THROWS_WITH(StarCacheRun(setup, small()), Contains("so that a value has room"));
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

TEST_CASE("boots of the switch are tolerated only with so many versions that a packet may outlast several") {
  StarCacheOptions options;
  CHECK(options.also_tolerates() == std::vector<std::string>{"switch-restart"});
  options.version_bits = 27;
  CHECK(options.also_tolerates().empty());
}

TEST_CASE("StarCache survives each kind of fault that it promises to, and their mixture") {
  std::vector<std::vector<std::string>> menus;
  for (const auto& entry : models::protocols()) {
    if (entry.name != "starcache") continue;
    const std::vector<std::string> tolerated = models::tolerated_by_default(entry);
    for (const std::string& kind : tolerated) menus.push_back({kind});
    menus.push_back(tolerated);
  }
  REQUIRE(menus.size() > 1);
  for (const auto& kinds : menus) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Setup setup = contended(seed);
      setup.rack.nodes = 5;
      setup.plan.drain = 40_ms;
      setup.draw_faults(600_us, kinds);
      StarCacheRun run(setup, busy());
      run.finish();
      INFO(kinds.front() << (kinds.size() > 1 ? " and others" : "") << ", seed " << seed);
      CHECK(run.violations() == "");
      CHECK(run.star.quiescent());
    }
  }
}

TEST_CASE("the switch's state of a cached key is shown, of an uncached one nothing") {
  StarCacheRun run;
  run.advance(20_us);
  CHECK(run.star.switch_state_of(kHot).size() == 4);  // STATE, QUEUE, FRONT, REAR
  CHECK(run.star.switch_state_of(kCold).empty());
}

TEST_CASE("packets that circulate do not keep StarCache from being at rest, a fetch under way does") {
  StarCacheRun run;
  run.advance(2_us);
  CHECK_FALSE(run.star.quiescent());
  run.advance(30_us);
  CHECK(run.circulating() == 1);
  CHECK(run.star.quiescent());
  CHECK(run.star.leaks().empty());
}

}  // namespace starcache_test
