// What StarCache adds to a server: which writes it admits, end to end (switch_cache/write_order.hpp; StarCache §3.7).
// Its reports are tested with the controller that reads them (controller_test.cpp).
#include "protocols/starcache/star_server.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/starcache/starcache_run.hpp"

namespace star_server_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

TEST_CASE("rule (i): a write that a later one has overtaken is refused, sent again, and takes effect last") {
  StarCacheRun run;
  run.advance(20_us);
  run.have_write_overtaken();
  run.advance(200_us);
  REQUIRE(run.ended() == 2);
  CHECK(run.counter("store.refused_writes") == 1);
  CHECK(run.counter("store.timeouts") == 0);
  CHECK(run.store->partition(0).value_of(kHot) == run.log.ended[1].value);
  CHECK(run.get_now(kBob, kHot).value == run.log.ended[1].value);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("rule (i): a write that a fetch has overtaken is refused too") {
  StarCacheRun run;
  run.advance(20_us);
  run.hold_back_at_server();
  run.put(kAlice, kHot);
  run.advance(1500_ns);
  run.work.spawn([](CacheManager& manager) -> sim::Task<void> { co_await manager.fetch(kHot); }(run.star.manager()));
  run.advance(200_us);
  REQUIRE(run.ended() == 1);
  CHECK(run.counter("store.refused_writes") == 1);
  CHECK(run.valid(kHot));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("rule (ii): a write that passed before its key was cached is refused after the fetch, and then admitted") {
  Setup setup = with_hot_key();
  setup.script.hottest = {};
  StarCacheRun run(setup);
  run.advance(1_us);
  const sim::Time now = run.calendar.now();
  StoreRun::hold_back(run.rack.downlink(kServerNode), 150_us, now, now + 2_us);
  run.put(kAlice, kHot);
  run.advance(2_us);
  CHECK(run.install(kHot));
  REQUIRE(run.ended() == 1);
  CHECK(run.counter("store.refused_writes") == 1);
  CHECK(run.valid(kHot));
  CHECK(run.get_now(kBob, kHot).value == run.log.ended[0].value);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("where the printed coherence holds no write is refused") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Setup setup = contended(seed);
    setup.rack.faults.reorder = 0.2;
    StarCacheRun run(setup, busy(Coherence::paper));
    run.finish();
    CHECK(run.counter("store.refused_writes") == 0);
  }
}

TEST_CASE("what a server knows of versions survives its crash") {
  StarCacheRun run;
  run.advance(20_us);
  run.put_now(kAlice, kHot);
  run.rack.crash(kServerNode);
  run.advance(20_us);
  run.rack.restart(kServerNode);
  run.evict(kHot);
  CHECK_FALSE(run.put_now(kAlice, kHot).given_up);
  REQUIRE(run.install(kHot));
  CHECK_FALSE(run.put_now(kBob, kHot).given_up);
  CHECK(run.valid(kHot));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("after a boot of the switch writes without a version are admitted as soon as the server has been told") {
  StarCacheRun run;
  const sim::Time lost = sim::Time{} + 2_ms;
  run.rack.chassis().announce_power_loss(lost);
  run.advance(1900_us);
  for (int i = 0; i < 5; ++i) run.put_now(kAlice, kHot);
  run.advance(lost - run.calendar.now());
  run.rack.chassis().power_off();
  run.advance(20_us);
  run.rack.restart_switch(lost);
  run.put(kAlice, kHot);
  run.advance(300_us);
  CHECK(run.ended() == 6);
  CHECK(run.valid(kHot));
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace star_server_test
