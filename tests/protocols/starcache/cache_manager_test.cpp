// Insertion, removal and fetching by the controller, under losses, crashes and boots (StarCache §3.8, §3.9).
#include "protocols/starcache/cache_manager.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace cache_manager_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

const Setup kWithoutKeys;

constexpr std::uint64_t kLeap = std::uint64_t{1} << 24;  // versions that a boot passes over

}  // namespace

TEST_CASE("a key that is inserted is fetched and serves, one that is removed is not cached any more") {
  StarCacheRun run(kWithoutKeys, small(GENERATE(Coherence::versions, Coherence::paper)));
  REQUIRE(run.install(kHot));
  CHECK(run.star.manager().is_cached(kHot));
  CHECK(run.valid(kHot));
  run.get_now(kAlice, kHot);
  CHECK(run.served() == 0);
  run.evict(kHot);
  CHECK_FALSE(run.star.manager().is_cached(kHot));
  CHECK(run.star.manager().size() == 0);
  CHECK(run.star_counter("installs") == 1);
  CHECK(run.star_counter("evictions") == 1);
  run.get_now(kAlice, kHot);
  CHECK(run.served() == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a key that is cached already, or whose hash is, is not inserted; nor is one for which there is no room") {
  StarCacheOptions options = small();
  options.hash_bits = 3;
  options.cache_entries = 3;
  options.cache_size = 3;
  StarCacheRun run(kWithoutKeys, options);
  std::uint64_t other = kHot + 1;
  const auto hash = [&](std::uint64_t key) { return run.store->shared().hash(sim::Key{key}); };
  while (!(hash(other) == hash(kHot))) ++other;
  CHECK(run.install(kHot));
  CHECK_FALSE(run.install(kHot));
  CHECK_FALSE(run.install(other));
  for (std::uint64_t key = 0; key < 60; ++key) run.install(key);
  CHECK(run.star.manager().size() == 3);
  CHECK(run.star_counter("installs") == 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("cached keys are named in the order of their table indices, the lowest free one being taken first") {
  StarCacheRun run(kWithoutKeys, small());
  for (const std::uint64_t key : {30u, 10u, 20u}) REQUIRE(run.install(key));
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{30, 10, 20});
  CHECK(run.star.manager().index_of(10) == 1);
  run.evict(10);
  REQUIRE(run.install(40));
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{30, 40, 20});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("preloading takes the hottest keys up to the cache's size") {
  StarCacheOptions options = small();
  options.cache_size = 2;
  Setup setup;
  setup.script.hottest = {5, 6, 7};
  StarCacheRun run(setup, options);
  run.advance(50_us);
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{5, 6});
  CHECK(run.valid(5));
  CHECK(run.valid(6));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a fetch whose request or reply is lost is sent again") {
  const Op lost = GENERATE(switch_cache::kFetchRequest, switch_cache::kFetchReply);
  StarCacheRun run(kWithoutKeys, small(GENERATE(Coherence::versions, Coherence::paper)));
  StoreRun::lose(lost == switch_cache::kFetchRequest ? run.rack.downlink(kServerNode) : run.rack.uplink(kServerNode),
                 lost, 3);
  CHECK(run.install(kHot));
  CHECK(run.star_counter("fetches") == 4);
  CHECK(run.valid(kHot));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a fetch of an item of which one packet is lost is repeated, since the rest serves nobody") {
  Setup setup = with_hot_key(3000);
  setup.script.hottest = {};
  StarCacheRun run(setup);
  const std::uint64_t first = GENERATE(1, 2, 3);
  StoreRun::lose(run.rack.uplink(kServerNode), switch_cache::kFetchReply, 1, first);
  REQUIRE(run.install(kHot));
  CHECK(run.star_counter("fetches") == 2);
  CHECK(run.circulating() == 3);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(run.get_now(kAlice, kHot).given_up);
  CHECK(run.counter("store.timeouts") == 0);
  CHECK(run.served() == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a fetch is given up after ten attempts, and its key leaves the cache") {
  StarCacheRun run(kWithoutKeys, small(GENERATE(Coherence::versions, Coherence::paper)));
  StoreRun::lose(run.rack.uplink(kServerNode), switch_cache::kFetchReply, 10);
  CHECK_FALSE(run.install(kHot));
  CHECK(run.star_counter("fetches") == 10);
  CHECK(run.star_counter("failed_fetches") == 1);
  run.advance(200_us);
  CHECK_FALSE(run.star.manager().is_cached(kHot));
  CHECK(run.star.manager().busy() == 0);
  CHECK(run.install(kHot));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("each insertion of a key begins after every version that was given out for it before") {
  StarCacheRun run(kWithoutKeys, small());
  REQUIRE(run.install(kHot));
  for (int i = 0; i < 5; ++i) run.put_now(kAlice, kHot);
  const std::uint64_t last = run.state(kHot) & 0xffff'ffff;
  CHECK(last >= 7);  // inserted, fetched, written five times
  run.evict(kHot);
  REQUIRE(run.install(kHot));
  CHECK((run.state(kHot) & 0xffff'ffff) > last);
  REQUIRE(run.install(kCold));
  CHECK((run.state(kCold) & 0xffff'ffff) == 2);  // other keys begin with 1, and are fetched
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("what a round sees of a key's version is what the versions after a boot are reckoned from") {
  StarCacheRun run(with_hot_key());
  run.advance(20_us);
  const std::uint64_t seen = 1'000'000;
  run.write(run.star.program().state, run.star.manager().index_of(kHot), std::uint64_t{1} << 32 | seen);
  run.round();
  run.restart_switch();
  run.advance(1_ms);
  CHECK((run.state(kHot) & 0xffff'ffff) == seen + kLeap + 2);
  CHECK_FALSE(run.put_now(kAlice, kHot).given_up);
  run.finish();
  CHECK(run.violations() == "");
}

// The row's STATE is the one that the key before it has left until the key's own is written.
TEST_CASE("what a round sees while a key's row is made is not taken for the key's version") {
  StarCacheRun run(kWithoutKeys, small());
  run.begin_install(kCold);
  REQUIRE(run.star.manager().is_cached(kCold));
  run.star.manager().note_version(kCold, run.star.manager().row_of(kCold), store::Version{kLeap + kLeap / 2});
  run.advance(100_us);
  REQUIRE(run.star.manager().busy() == 0);
  run.restart_switch();
  run.advance(1_ms);
  REQUIRE(run.star.manager().is_cached(kCold));
  CHECK((run.state(kCold) & 0xffff'ffff) < 2 * kLeap);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a key whose server is told of a boot only after the next boot is inserted again all the same") {
  StarCacheRun run(with_hot_key());
  run.advance(20_us);
  run.put_now(kAlice, kHot);
  StoreRun::lose(run.rack.downlink(kServerNode), switch_cache::kEviction, 95);  // until after the second boot
  for (int boot = 0; boot < 2; ++boot) {
    run.restart_switch();
    run.advance(300_us);
    CHECK_FALSE(run.star.manager().is_cached(kHot));
  }
  run.advance(1_ms);
  CHECK(run.star.manager().busy() == 0);
  CHECK(run.valid(kHot));
  // The second boot found no versions that the first had not reckoned with.
  CHECK((run.state(kHot) & 0xffff'ffff) < 2 * kLeap);
  CHECK_FALSE(run.put_now(kAlice, kHot).given_up);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the end of an insertion is told to the key's server until it answers, and then admits writes again") {
  StarCacheRun run(kWithoutKeys, small());
  REQUIRE(run.install(kHot));
  StoreRun::lose(run.rack.downlink(kServerNode), switch_cache::kEviction, 2);
  StoreRun::lose(run.rack.uplink(kServerNode), switch_cache::kEvictionReply, 1);
  run.begin_evict(kHot);
  run.advance(20_us);
  CHECK(run.star.manager().busy() == 1);
  run.put(kAlice, kHot);  // passes without a version: refused until the server knows
  run.advance(20_us);
  CHECK(run.ended() == 0);
  CHECK(run.counter("store.refused_writes") > 0);
  run.advance(200_us);
  CHECK(run.ended() == 1);
  CHECK(run.star.manager().busy() == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a write request that is lost leaves its key invalid until it is sent again") {
  StarCacheRun run(with_hot_key(), small(GENERATE(Coherence::versions, Coherence::paper)));
  run.advance(20_us);
  StoreRun::lose(run.rack.downlink(kServerNode), Op::write_request);
  run.put(kAlice, kHot);
  run.advance(50_us);
  CHECK_FALSE(run.valid(kHot));
  CHECK_FALSE(run.get_now(kBob, kHot).given_up);
  CHECK(run.served() == 1);
  run.advance(300_us);
  if (run.versions) {
    CHECK(run.ended() == 2);
    CHECK(run.valid(kHot));
    CHECK(run.get_now(kBob, kHot).value == run.log.ended[1].value);
  } else {
    CHECK_FALSE(run.valid(kHot));  // the printed protocol has nobody who sends it again
  }
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a write reply that is lost: the write is answered again with the value and validates") {
  StarCacheRun run(with_hot_key());
  run.advance(20_us);
  StoreRun::lose(run.rack.uplink(kServerNode), Op::write_reply);
  const Ended put = run.put_now(kAlice, kHot);
  CHECK_FALSE(put.given_up);
  CHECK(run.counter("store.duplicate_writes") == 1);
  CHECK(run.valid(kHot));
  const std::uint64_t served = run.served();
  CHECK(run.get_now(kBob, kHot).value == put.value);
  CHECK(run.served() == served);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a cache packet that is lost: requests are answered by correction requests, the controller revives the key") {
  StarCacheRun run(failing_by_hand(with_hot_key()));
  run.advance(20_us);
  run.lose_cache_packet(kHot);
  REQUIRE(run.circulating() == 0);
  const Ended get = run.get_now(kAlice, kHot);
  CHECK_FALSE(get.given_up);
  CHECK(run.tap.of(Op::correction_request) == 1);
  CHECK(run.counter("store.timeouts") == 1);
  CHECK(run.waiting(kHot) == 1);  // the request is over, its place in the table is not
  run.round();
  CHECK(run.star_counter("revivals") == 0);  // nothing to compare with yet
  run.round();
  CHECK(run.star_counter("revivals") == 1);
  CHECK(run.waiting(kHot) == 0);
  CHECK(run.circulating() == 1);
  run.round();
  run.round();
  CHECK(run.star_counter("revivals") == 1);
  run.get_now(kBob, kHot);
  CHECK(run.counter("store.timeouts") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a key that stays invalid is revived") {
  StarCacheRun run(with_hot_key());
  run.advance(20_us);
  StoreRun::lose(run.rack.downlink(kServerNode), Op::write_request, 5);
  CHECK(run.put_now(kAlice, kHot).given_up);
  CHECK_FALSE(run.valid(kHot));
  run.round();
  run.round();
  CHECK(run.star_counter("revivals") == 1);
  CHECK(run.valid(kHot));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a server that crashes during a write and comes back: the write ends, and nothing stale is served") {
  StarCacheOptions options = small();
  options.service_work = 20_us;
  StarCacheRun run(with_hot_key(), options);
  run.advance(100_us);
  run.put(kAlice, kHot);
  run.advance(10_us);
  run.rack.crash(kServerNode);
  run.get(kBob, kHot);
  run.advance(100_us);
  CHECK(run.ended() == 0);
  run.rack.restart(kServerNode);
  run.advance(500_us);
  REQUIRE(run.ended() == 2);
  const std::uint64_t written = run.log.ended[0].write ? run.log.ended[0].value : run.log.ended[1].value;
  CHECK(run.get_now(kBob, kHot).value == written);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a switch that restarts during a fetch: the cache is rebuilt, nothing is stale and nobody hangs",
          "[claim:starcache-s39-switch-failure]") {
  for (int from = 0; from < 40; from += 3) {
    StarCacheOptions options = small();
    options.service_work = 10_us;
    StarCacheRun run(with_hot_key(), options);
    run.advance(100_us);
    run.put_now(kAlice, kHot);
    const sim::Time lost = run.calendar.now() + sim::Duration::from_ps(1'000'000) * from + 2_ms;
    run.rack.chassis().announce_power_loss(lost);
    run.advance(2_ms);
    run.begin_install(kCold);
    run.put(kBob, kHot);
    run.get(kAlice, kHot);
    run.advance(lost - run.calendar.now());
    run.rack.chassis().power_off();
    run.advance(20_us);
    run.rack.restart_switch(lost);
    run.advance(1_ms);
    INFO(from << " us after the fetch began");
    REQUIRE(run.ended() == 3);
    CHECK(run.star.manager().busy() == 0);
    CHECK(run.star.manager().is_cached(kHot));
    CHECK(run.valid(kHot));
    CHECK((run.state(kHot) & 0xffff'ffff) > kLeap);  // after all that the switch may have given out
    const std::uint64_t served = run.served();
    std::uint64_t written = 0;
    for (const Ended& e : run.log.ended) written = e.write ? e.value : written;
    CHECK(run.get_now(kBob, kHot).value == written);
    CHECK(run.served() == served);
    CHECK_FALSE(run.put_now(kAlice, kCold).given_up);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("a cached key that the switch cannot serve is a leak at rest, unless a fault may have left it so") {
  const Coherence coherence = GENERATE(Coherence::versions, Coherence::paper);
  const std::uint32_t bytes = GENERATE(64U, 3000U);
  StarCacheRun run(with_hot_key(bytes), small(coherence));
  run.advance(100_us);
  SECTION("nothing wrong") {
    run.put_now(kAlice, kHot);
    run.finish();
    CHECK(run.violations() == "");
  }
  SECTION("invalid") {
    run.write(run.star.program().state, run.star.manager().index_of(kHot), run.state(kHot) & 0xffff'fffe);
    if (run.versions) run.write(run.star.program().state, run.star.manager().index_of(kHot), 2);
    run.finish();
    CHECK_THAT(run.violations(),
               Catch::Matchers::Contains("dead-entry: switch: key 0x7 is cached at index 0 of pipe 0, "
                                         "and its value is invalid"));
  }
  SECTION("lost packets") {
    run.lose_cache_packet(kHot);
    run.finish();
    CHECK_THAT(run.violations(),
               Catch::Matchers::Contains("dead-entry: switch: key 0x7 is cached at index 0 of pipe 0, "
                                         "and not all packets of its value circulate there"));
  }
  SECTION("lost packets, and a fault") {
    run.lose_cache_packet(kHot);
    sim::record_disturbance(run.event_log, run.event_log.add_source("fault"), run.calendar.now(), 0,
                            sim::Disturbance::lost);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE(
    "a lookup entry that the controller does not know, and a queue that ends elsewhere than it should, are leaks") {
  StarCacheRun run;
  run.advance(50_us);
  SECTION("nothing wrong") {
    run.finish();
    CHECK(run.violations() == "");
  }
  SECTION("lookup entry") {
    const std::vector<std::uint64_t> key{1, 2}, index{5};
    run.rack.chassis().pipeline(0).add_entry(*run.star.program().lookup, key, *run.star.program().set_index, index);
    run.finish();
    CHECK_THAT(run.violations(),
               Catch::Matchers::Contains("leaked-entry: switch: its lookup table has 2 entries, for 1 keys"));
  }
  SECTION("queue") {
    run.write(run.star.program().rear, run.star.manager().index_of(kHot), 2);
    run.finish();
    CHECK_THAT(run.violations(),
               Catch::Matchers::Contains("the queue of index 0 begins at 0 and ends at 2, with 0 requests"));
  }
}

TEST_CASE("nodes in another pipe than the recirculation port's are refused") {
  Setup setup;
  setup.rack.network_switch.ports_per_pipe = 2;
  CHECK_THROWS_WITH(StarCacheRun(setup), Catch::Matchers::Contains("another pipe"));
}

}  // namespace cache_manager_test
