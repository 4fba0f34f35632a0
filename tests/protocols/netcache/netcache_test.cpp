// NetCache on a rack: what is cached and served by the switch, how updates keep it coherent, and how the controller
// changes it (NetCache §4.3, §4.4.3; StarCache §5.1).
#include "protocols/netcache/netcache.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/netcache/netcache_run.hpp"

namespace netcache_test {

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::netcache::testing;
using Catch::Contains;

namespace {

std::string refusal(const Setup& setup) {
  try {
    NetCacheRun run(setup);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::string stuck(const NetCacheRun& run) {
  std::string text;
  for (const models::Leak& leak : run.protocol->leaks()) text += leak.what + "\n";
  return text;
}

}  // namespace

TEST_CASE("a cached key whose value is invalid in the switch is a leak at rest") {
  Setup setup;
  setup.netcache.exactly_once = GENERATE(true, false);
  NetCacheRun run(scripted(setup));
  const sim::Key key = run.hot_key();
  run.put(key);
  REQUIRE(stuck(run) == "");
  run.rack.chassis().pipeline(0).registers().write(run.protocol->program().state->id,
                                                   run.protocol->manager().index_of(key), 0);
  run.finish();
  CHECK_THAT(run.violations(), Catch::Matchers::Contains("and its value is invalid"));
}

TEST_CASE("on clean wires NetCache's clients see one value of each item, with and without versions") {
  Setup setup;
  setup.netcache.exactly_once = GENERATE(true, false);
  setup.rounds = GENERATE(false, true);
  setup.netcache.updates = setup.rounds;
  for (setup.seed = 1; setup.seed <= 5; ++setup.seed) {
    NetCacheRun run(setup);
    run.finish();
    CHECK(run.violations() == "");
    CHECK(run.hits() > 100);
    CHECK(run.counter("netcache.updates") > 50);
    CHECK(run.protocol->quiescent());
  }
}

TEST_CASE("a read of a preloaded key is answered by the switch with the value that its memory holds") {
  NetCacheRun run{scripted()};
  const sim::Key key = run.hot_key();
  run.get(key);
  CHECK(run.hits() == 1);
  run.put(key);
  run.get(key);
  CHECK(run.hits() == 2);
  const std::uint64_t index = run.protocol->manager().index_of(key);
  const unsigned server = store::server_of(run.protocol->shared().hash(key), run.protocol->shared().servers());
  const sim::Value value = run.protocol->partition(server).value_of(key);
  CHECK(value != 0);
  for (unsigned i = 0; i < kValueArrays; ++i) {
    CHECK(run.register_of(run.protocol->program().values[i], index) == store::ValueHeader::word(value, i));
  }
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("what the oracles see is what the switch's memory holds") {
  NetCacheRun run{scripted()};
  const sim::Key key = run.hot_key();
  run.put(key);
  const std::uint64_t index = run.protocol->manager().index_of(key);
  const auto* array = run.protocol->program().values[GENERATE(0, 7, 15)];
  run.rack.chassis().pipeline(0).registers().write(array->id, index, run.register_of(array, index) ^ 1);
  run.get(key);
  run.finish();
  CHECK_THAT(run.violations(), Contains("data-value") && Contains("torn"));
}

TEST_CASE("a write to a cached key costs one update packet besides the reply, one to another key none",
          "[claim:starcache-s37-one-reply]") {
  NetCacheRun run{scripted()};
  run.put(run.hot_key());
  CHECK(run.counter("netcache.updates") == 1);
  run.put(99);
  CHECK_FALSE(run.protocol->manager().is_cached(99));
  CHECK(run.counter("netcache.updates") == 1);
  CHECK(run.counter("netcache.stale_updates") == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the registers of a cached key are told by their fields, in hexadecimal where they hold a value") {
  Setup setup;
  setup.netcache.exactly_once = GENERATE(true, false);
  NetCacheRun run(setup);
  const auto registers = run.protocol->switch_state_of(run.hot_key());
  REQUIRE(registers.size() == 3);
  CHECK(registers[0].array == "STATE");
  CHECK(registers[0].print(0) == (setup.netcache.exactly_once ? "invalid, version 0" : "invalid"));
  CHECK(registers[0].print(setup.netcache.exactly_once ? 1ull << 32 | 9 : 1) ==
        (setup.netcache.exactly_once ? "valid, version 9" : "valid"));
  CHECK(registers[1].array == "VALUE0");
  CHECK(registers[2].print(0x100) == "0x100");
  CHECK(run.protocol->switch_state_of(sim::Key{run.hot_key() + 1'000'000}).empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("of the hottest keys only those with values of at most 64 bytes are preloaded") {
  Setup setup;
  setup.netcache.cache_entries = 1000;
  setup.netcache.preload = 1000;
  setup.workload->keys = 10'000;
  setup.workload->small_share = 0.12;
  NetCacheRun run(setup);
  const auto cached = run.protocol->manager().cached();
  for (const sim::Key key : cached) CHECK(run.protocol->shared().sizes.value_bytes(key) == 64);
  CHECK(cached.size() > 90);  // 12 % of 1,000
  CHECK(cached.size() < 150);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("of the paper's ten thousand hottest keys, of which 12 % are small, about 1,200 are preloaded",
          "[claim:starcache-s51-netcache-1.2k]") {
  Setup setup;
  setup.netcache.cache_entries = 10'240;
  setup.netcache.preload = 10'000;
  setup.workload->keys = 100'000;
  setup.workload->small_share = 0.12;
  NetCacheRun run(setup);
  // Sizes are drawn key by key: three standard deviations of 10,000 draws are 97.
  CHECK(run.protocol->manager().cached().size() > 1'200 - 97);
  CHECK(run.protocol->manager().cached().size() < 1'200 + 97);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("an item with a value above 64 bytes or a key above 16 is never cached") {
  Setup setup;
  SECTION("value") {
    setup.workload->small_value = 65;
  }
  SECTION("key") {
    setup.workload->key_bytes = 17;
  }
  setup.netcache.updates = true;
  setup.rounds = true;
  NetCacheRun run(setup);
  CHECK(run.protocol->manager().size() == 0);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("netcache.hot_reports") > 0);
  CHECK(run.counter("netcache.installs") == 0);
  CHECK(run.hits() == 0);
}

TEST_CASE("the controller caches keys that the switch reports as hot, and evicts cold ones for them") {
  Setup setup;
  setup.netcache.updates = true;
  setup.netcache.cache_entries = 4;
  setup.workload->swap_interval = 500_us;
  setup.workload->write_ratio = 0.1;
  setup.measure(6'000);
  setup.rounds = true;
  NetCacheRun run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("netcache.hot_reports") > 0);
  CHECK(run.counter("netcache.installs") > 3);
  CHECK(run.counter("netcache.evictions") > 3);
  CHECK(run.protocol->manager().size() == 4);
  CHECK(run.hits() > 500);
}

TEST_CASE("a key that is evicted and inserted again is served with its latest value") {
  NetCacheRun run{scripted()};
  const sim::Key key = run.hot_key();
  CacheManager& manager = run.protocol->manager();
  run.put(key);
  run.control.spawn(manager.evict(key));
  run.advance(300_us);
  CHECK_FALSE(manager.is_cached(key));
  run.put(key);
  run.get(key);
  CHECK(run.hits() == 0);
  run.control.spawn([](CacheManager& m, sim::Key k) -> sim::Task<void> { co_await m.install(k); }(manager, key));
  run.advance(300_us);
  CHECK(manager.is_cached(key));
  run.get(key);
  CHECK(run.hits() == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a write that has lost its update leaves the key invalid until the controller has it fetched") {
  NetCacheRun run{scripted()};
  const sim::Key key = run.hot_key();
  const auto& program = run.protocol->program();
  const std::uint64_t index = run.protocol->manager().index_of(key);
  const std::uint64_t state = run.register_of(program.state, index);
  run.rack.chassis().pipeline(0).registers().write(program.state->id, index, state & 0xffffffff);
  for (int i = 0; i < 2; ++i) {
    CHECK(run.register_of(program.state, index) >> 32 == 0);
    run.control.spawn(run.protocol->controller().round());
    run.advance(300_us);
  }
  CHECK(run.register_of(program.state, index) >> 32 == 1);
  CHECK(run.counter("netcache.revivals") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("writes of a key wait at the server while an update of it has no acknowledgement") {
  Setup setup;
  setup.workload->write_ratio = 1;
  setup.workload->keys = 16;
  setup.workload->zipf = 2;
  setup.workload->small_share = 1;
  setup.plan.expect_timeouts = true;  // the hottest key's writes come faster than updates are acknowledged
  NetCacheRun run(setup);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("netcache.held_writes") > 100);
}

// Held on, it would outlast several boots of the switch if none answers the update, and each lets many versions
// pass: in the end its old version would seem to be the newest of all, and every later write be refused.
TEST_CASE("a write that waits for an update is refused as soon as its key is evicted, unless it is the last") {
  NetCacheRun run{scripted()};
  const sim::Key key = run.hot_key();
  models::WireFaults silent;
  silent.loss = 1;
  const sim::Time heard_again = sim::Time{} + 500_us;
  for (const models::NodeId server : {2, 3}) run.rack.uplink(server).set_faults(silent, {}, heard_again);
  run.put(key);  // takes effect, begins an update that nobody hears, and is sent again after 200 us
  run.StoreRun::put(kAlice, key);
  run.StoreRun::put(kAlice, key);
  run.advance(20_us);
  CHECK_THAT(stuck(run), Contains("1 cache updates without an acknowledgement, 3 writes behind them"));
  run.control.spawn(run.protocol->manager().evict(key));
  run.advance(60_us);
  CHECK_THAT(stuck(run), Contains("1 cache updates without an acknowledgement, 1 writes behind them"));
  run.advance_to(heard_again + 10_ms);
  CHECK(run.protocol->quiescent());
  CHECK_FALSE(run.protocol->manager().is_cached(key));
  CHECK(run.protocol->leaks().empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a cache that no stage holds, servers without an agent and nodes in several pipes are refused") {
  Setup setup;
  setup.rack.cores = 2;
  CHECK_THAT(refusal(setup),
             Contains("partitions: found 2, expected less than the 2 cores") && Contains("server agent"));
  setup = Setup();
  setup.netcache.cache_entries = 50'000;
  CHECK_THAT(refusal(setup), Contains("a cache of 50000 keys") && Contains("39936"));
  setup = Setup();
  setup.rack.nodes = 40;
  setup.rack.network_switch.ports = 64;
  CHECK_THAT(refusal(setup), Contains("another pipe"));
}

}  // namespace netcache_test
