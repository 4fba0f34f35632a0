// Insertion, removal and fetching by the controller, under losses, crashes and boots (StarCache §3.8, §3.9).
#include "protocols/starcache/cache_manager.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/rig.hpp"

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

const Setup kWithoutKeys;

constexpr std::uint64_t kQuarter = 0xffff'ffff / 4;  // of all versions

}  // namespace

TEST_CASE("a key that is inserted is fetched and serves, one that is removed is not cached any more") {
  StarRig rig(kWithoutKeys, small(GENERATE(Coherence::versions, Coherence::paper)));
  REQUIRE(rig.install(kHot));
  CHECK(rig.star.manager().is_cached(kHot));
  CHECK(rig.valid(kHot));
  rig.get_now(kAlice, kHot);
  CHECK(rig.served() == 0);
  rig.evict(kHot);
  CHECK_FALSE(rig.star.manager().is_cached(kHot));
  CHECK(rig.star.manager().size() == 0);
  CHECK(rig.star_counter("installs") == 1);
  CHECK(rig.star_counter("evictions") == 1);
  rig.get_now(kAlice, kHot);
  CHECK(rig.served() == 1);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a key that is cached already, or whose hash is, is not inserted; nor is one for which there is no room") {
  StarCacheOptions options = small();
  options.hash_bits = 3;
  options.cache_entries = 3;
  options.cache_size = 3;
  StarRig rig(kWithoutKeys, options);
  std::uint64_t other = kHot + 1;
  const auto hash = [&](std::uint64_t key) { return rig.store->shared().hash(key); };
  while (!(hash(other) == hash(kHot))) ++other;
  CHECK(rig.install(kHot));
  CHECK_FALSE(rig.install(kHot));
  CHECK_FALSE(rig.install(other));
  for (std::uint64_t key = 0; key < 60; ++key) rig.install(key);
  CHECK(rig.star.manager().size() == 3);
  CHECK(rig.star_counter("installs") == 3);
}

TEST_CASE("cached keys are named in the order of their table indices, the lowest free one being taken first") {
  StarRig rig(kWithoutKeys, small());
  for (const std::uint64_t key : {30u, 10u, 20u}) REQUIRE(rig.install(key));
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{30, 10, 20});
  CHECK(rig.star.manager().index_of(10) == 1);
  rig.evict(10);
  REQUIRE(rig.install(40));
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{30, 40, 20});
}

TEST_CASE("preloading takes the hottest keys up to the cache's size") {
  StarCacheOptions options = small();
  options.cache_size = 2;
  Setup setup;
  setup.preload = {5, 6, 7};
  StarRig rig(setup, options);
  rig.run(50_us);
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{5, 6});
  CHECK(rig.valid(5));
  CHECK(rig.valid(6));
}

TEST_CASE("a fetch whose request or reply is lost is sent again") {
  const Op lost = GENERATE(switch_cache::kFetchRequest, switch_cache::kFetchReply);
  StarRig rig(kWithoutKeys, small(GENERATE(Coherence::versions, Coherence::paper)));
  Rig::lose(lost == switch_cache::kFetchRequest ? rig.rack.downlink(kServerNode) : rig.rack.uplink(kServerNode), lost,
            3);
  CHECK(rig.install(kHot));
  CHECK(rig.star_counter("fetches") == 4);
  CHECK(rig.valid(kHot));
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a fetch of an item of which one packet is lost is repeated, since the rest serves nobody") {
  Setup setup = with_hot_key(3000);
  setup.preload = {};
  StarRig rig(setup);
  const std::uint64_t first = GENERATE(1, 2, 3);
  Rig::lose(rig.rack.uplink(kServerNode), switch_cache::kFetchReply, 1, first);
  REQUIRE(rig.install(kHot));
  CHECK(rig.star_counter("fetches") == 2);
  CHECK(rig.circulating() == 3);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(rig.get_now(kAlice, kHot).given_up);
  CHECK(rig.counter("store.timeouts") == 0);
  CHECK(rig.served() == 0);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a fetch is given up after ten attempts, and its key leaves the cache") {
  StarRig rig(kWithoutKeys, small(GENERATE(Coherence::versions, Coherence::paper)));
  Rig::lose(rig.rack.uplink(kServerNode), switch_cache::kFetchReply, 10);
  CHECK_FALSE(rig.install(kHot));
  CHECK(rig.star_counter("fetches") == 10);
  CHECK(rig.star_counter("failed_fetches") == 1);
  rig.run(200_us);
  CHECK_FALSE(rig.star.manager().is_cached(kHot));
  CHECK(rig.star.manager().busy() == 0);
  CHECK(rig.install(kHot));
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("each insertion of a key begins after every version that was given out for it before") {
  StarRig rig(kWithoutKeys, small());
  REQUIRE(rig.install(kHot));
  for (int i = 0; i < 5; ++i) rig.put_now(kAlice, kHot);
  const std::uint64_t last = rig.state(kHot) & 0xffff'ffff;
  CHECK(last >= 7);  // inserted, fetched, written five times
  rig.evict(kHot);
  REQUIRE(rig.install(kHot));
  CHECK((rig.state(kHot) & 0xffff'ffff) > last);
  REQUIRE(rig.install(kCold));
  CHECK((rig.state(kCold) & 0xffff'ffff) == 2);  // other keys begin with 1, and are fetched
}

TEST_CASE("what a round sees of a key's version is what the versions after a boot are reckoned from") {
  StarRig rig(with_hot_key());
  rig.run(20_us);
  const std::uint64_t seen = 1'000'000;
  rig.write(rig.star.program().state, rig.star.manager().index_of(kHot), std::uint64_t{1} << 32 | seen);
  rig.round();
  rig.restart_switch();
  rig.run(1_ms);
  CHECK((rig.state(kHot) & 0xffff'ffff) == seen + kQuarter + 2);
  CHECK_FALSE(rig.put_now(kAlice, kHot).given_up);
  rig.judge();
  CHECK(rig.violations() == "");
}

// The row's STATE is the one that the key before it has left until the key's own is written.
TEST_CASE("what a round sees while a key's row is made is not taken for the key's version") {
  StarRig rig(kWithoutKeys, small());
  rig.begin_install(kCold);
  REQUIRE(rig.star.manager().is_cached(kCold));
  rig.star.manager().note_version(kCold, rig.star.manager().index_of(kCold), kQuarter + kQuarter / 2);
  rig.run(100_us);
  REQUIRE(rig.star.manager().busy() == 0);
  rig.restart_switch();
  rig.run(1_ms);
  REQUIRE(rig.star.manager().is_cached(kCold));
  CHECK((rig.state(kCold) & 0xffff'ffff) < 2 * kQuarter);
}

TEST_CASE("a key whose server is told of a boot only after the next boot is inserted again all the same") {
  StarRig rig(with_hot_key());
  rig.run(20_us);
  rig.put_now(kAlice, kHot);
  Rig::lose(rig.rack.downlink(kServerNode), switch_cache::kEviction, 95);  // until after the second boot
  for (int boot = 0; boot < 2; ++boot) {
    rig.restart_switch();
    rig.run(300_us);
    CHECK_FALSE(rig.star.manager().is_cached(kHot));
  }
  rig.run(1_ms);
  CHECK(rig.star.manager().busy() == 0);
  CHECK(rig.valid(kHot));
  // The second boot found no versions that the first had not reckoned with.
  CHECK((rig.state(kHot) & 0xffff'ffff) < 2 * kQuarter);
  CHECK_FALSE(rig.put_now(kAlice, kHot).given_up);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("the end of an insertion is told to the key's server until it answers, and then admits writes again") {
  StarRig rig(kWithoutKeys, small());
  REQUIRE(rig.install(kHot));
  Rig::lose(rig.rack.downlink(kServerNode), switch_cache::kEviction, 2);
  Rig::lose(rig.rack.uplink(kServerNode), switch_cache::kEvictionReply, 1);
  rig.begin_evict(kHot);
  rig.run(20_us);
  CHECK(rig.star.manager().busy() == 1);
  rig.put(kAlice, kHot);  // passes without a version: refused until the server knows
  rig.run(20_us);
  CHECK(rig.ended() == 0);
  CHECK(rig.counter("store.refused_writes") > 0);
  rig.run(200_us);
  CHECK(rig.ended() == 1);
  CHECK(rig.star.manager().busy() == 0);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a write request that is lost leaves its key invalid until it is sent again") {
  StarRig rig(with_hot_key(), small(GENERATE(Coherence::versions, Coherence::paper)));
  rig.run(20_us);
  Rig::lose(rig.rack.downlink(kServerNode), Op::write_request);
  rig.put(kAlice, kHot);
  rig.run(50_us);
  CHECK_FALSE(rig.valid(kHot));
  CHECK_FALSE(rig.get_now(kBob, kHot).given_up);
  CHECK(rig.served() == 1);
  rig.run(300_us);
  if (rig.versions) {
    CHECK(rig.ended() == 2);
    CHECK(rig.valid(kHot));
    CHECK(rig.get_now(kBob, kHot).value == rig.log.ended[1].value);
  } else {
    CHECK_FALSE(rig.valid(kHot));  // the printed protocol has nobody who sends it again
  }
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a write reply that is lost: the write is answered again with the value and validates") {
  StarRig rig(with_hot_key());
  rig.run(20_us);
  Rig::lose(rig.rack.uplink(kServerNode), Op::write_reply);
  const Ended put = rig.put_now(kAlice, kHot);
  CHECK_FALSE(put.given_up);
  CHECK(rig.counter("store.duplicate_writes") == 1);
  CHECK(rig.valid(kHot));
  const std::uint64_t served = rig.served();
  CHECK(rig.get_now(kBob, kHot).value == put.value);
  CHECK(rig.served() == served);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a cache packet that is lost: requests are answered by correction requests, the controller revives the key") {
  StarRig rig(with_hot_key());
  rig.run(20_us);
  rig.lose_cache_packet(kHot);
  REQUIRE(rig.circulating() == 0);
  const Ended get = rig.get_now(kAlice, kHot);
  CHECK_FALSE(get.given_up);
  CHECK(rig.tap.of(Op::correction_request) == 1);
  CHECK(rig.counter("store.timeouts") == 1);
  CHECK(rig.waiting(kHot) == 1);  // the request is over, its place in the table is not
  rig.round();
  CHECK(rig.star_counter("revivals") == 0);  // nothing to compare with yet
  rig.round();
  CHECK(rig.star_counter("revivals") == 1);
  CHECK(rig.waiting(kHot) == 0);
  CHECK(rig.circulating() == 1);
  rig.round();
  rig.round();
  CHECK(rig.star_counter("revivals") == 1);
  rig.get_now(kBob, kHot);
  CHECK(rig.counter("store.timeouts") == 1);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a key that stays invalid is revived") {
  StarRig rig(with_hot_key());
  rig.run(20_us);
  Rig::lose(rig.rack.downlink(kServerNode), Op::write_request, 5);
  CHECK(rig.put_now(kAlice, kHot).given_up);
  CHECK_FALSE(rig.valid(kHot));
  rig.round();
  rig.round();
  CHECK(rig.star_counter("revivals") == 1);
  CHECK(rig.valid(kHot));
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a server that crashes during a write and comes back: the write ends, and nothing stale is served") {
  StarCacheOptions options = small();
  options.service_work = 20_us;
  StarRig rig(with_hot_key(), options);
  rig.run(100_us);
  rig.put(kAlice, kHot);
  rig.run(10_us);
  rig.rack.crash(kServerNode);
  rig.get(kBob, kHot);
  rig.run(100_us);
  CHECK(rig.ended() == 0);
  rig.rack.restart(kServerNode);
  rig.run(500_us);
  REQUIRE(rig.ended() == 2);
  const std::uint64_t written = rig.log.ended[0].write ? rig.log.ended[0].value : rig.log.ended[1].value;
  CHECK(rig.get_now(kBob, kHot).value == written);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a switch that restarts during a fetch: the cache is rebuilt, nothing is stale and nobody hangs",
          "[claim:starcache-s39-switch-failure]") {
  for (int from = 0; from < 40; from += 3) {
    StarCacheOptions options = small();
    options.service_work = 10_us;
    StarRig rig(with_hot_key(), options);
    rig.run(100_us);
    rig.put_now(kAlice, kHot);
    const sim::Time lost = rig.calendar.now() + sim::Duration::from_ps(1'000'000) * from + 2_ms;
    rig.rack.chassis().announce_power_loss(lost);
    rig.run(2_ms);
    rig.begin_install(kCold);
    rig.put(kBob, kHot);
    rig.get(kAlice, kHot);
    rig.run(lost - rig.calendar.now());
    rig.rack.chassis().power_off();
    rig.run(20_us);
    rig.rack.restart_switch(lost);
    rig.run(1_ms);
    INFO(from << " us after the fetch began");
    REQUIRE(rig.ended() == 3);
    CHECK(rig.star.manager().busy() == 0);
    CHECK(rig.star.manager().is_cached(kHot));
    CHECK(rig.valid(kHot));
    CHECK((rig.state(kHot) & 0xffff'ffff) > kQuarter);  // after all that the switch may have given out
    const std::uint64_t served = rig.served();
    std::uint64_t written = 0;
    for (const Ended& e : rig.log.ended) written = e.write ? e.value : written;
    CHECK(rig.get_now(kBob, kHot).value == written);
    CHECK(rig.served() == served);
    CHECK_FALSE(rig.put_now(kAlice, kCold).given_up);
    rig.judge();
    CHECK(rig.violations() == "");
  }
}

TEST_CASE(
    "a lookup entry that the controller does not know, and a queue that ends elsewhere than it should, are leaks") {
  StarRig rig;
  rig.run(50_us);
  SECTION("nothing wrong") {
    rig.judge();
    CHECK(rig.violations() == "");
  }
  SECTION("lookup entry") {
    const std::vector<std::uint64_t> key{1, 2}, index{5};
    rig.rack.chassis().pipeline(0).add_entry(*rig.star.program().lookup, key, *rig.star.program().set_index, index);
    rig.judge();
    CHECK_THAT(rig.violations(),
               Catch::Matchers::Contains("leaked-entry: switch: its lookup table has 2 entries, for 1 keys"));
  }
  SECTION("queue") {
    rig.write(rig.star.program().rear, rig.star.manager().index_of(kHot), 2);
    rig.judge();
    CHECK_THAT(rig.violations(),
               Catch::Matchers::Contains("the queue of index 0 begins at 0 and ends at 2, with 0 requests"));
  }
}

TEST_CASE("nodes in another pipe than the recirculation port's are refused") {
  Setup setup;
  setup.rack.network_switch.ports_per_pipe = 2;
  CHECK_THROWS_WITH(StarRig(setup), Catch::Matchers::Contains("another pipe"));
}
