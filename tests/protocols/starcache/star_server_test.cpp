// What StarCache adds to a server: which writes it admits, end to end (switch_cache/write_order.hpp; StarCache §3.7).
// Its reports are tested with the controller that reads them (controller_test.cpp).
#include "protocols/starcache/star_server.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/starcache/rig.hpp"

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

TEST_CASE("rule (i): a write that a later one has overtaken is refused, sent again, and takes effect last") {
  StarRig rig;
  rig.run(20_us);
  const sim::Time now = rig.calendar.now();
  Rig::hold_back(rig.rack.downlink(kServerNode), 60_us, now, now + 1500_ns);
  rig.put(kAlice, kHot);
  rig.run(1_us);
  rig.put(kBob, kHot);
  rig.run(200_us);
  REQUIRE(rig.ended() == 2);
  CHECK(rig.counter("store.refused_writes") == 1);
  CHECK(rig.counter("store.timeouts") == 0);
  CHECK(rig.store->partition(0).value_of(kHot) == rig.log.ended[1].value);
  CHECK(rig.get_now(kBob, kHot).value == rig.log.ended[1].value);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("rule (i): a write that a fetch has overtaken is refused too") {
  StarRig rig;
  rig.run(20_us);
  const sim::Time now = rig.calendar.now();
  Rig::hold_back(rig.rack.downlink(kServerNode), 60_us, now, now + 1500_ns);
  rig.put(kAlice, kHot);
  rig.run(1500_ns);
  rig.work.spawn([](CacheManager& manager) -> sim::Task<void> { co_await manager.fetch(kHot); }(rig.star.manager()));
  rig.run(200_us);
  REQUIRE(rig.ended() == 1);
  CHECK(rig.counter("store.refused_writes") == 1);
  CHECK(rig.valid(kHot));
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("rule (ii): a write that passed before its key was cached is refused after the fetch, and then admitted") {
  Setup setup = with_hot_key();
  setup.preload = {};
  StarRig rig(setup);
  rig.run(1_us);
  const sim::Time now = rig.calendar.now();
  Rig::hold_back(rig.rack.downlink(kServerNode), 150_us, now, now + 2_us);
  rig.put(kAlice, kHot);
  rig.run(2_us);
  CHECK(rig.install(kHot));
  REQUIRE(rig.ended() == 1);
  CHECK(rig.counter("store.refused_writes") == 1);
  CHECK(rig.valid(kHot));
  CHECK(rig.get_now(kBob, kHot).value == rig.log.ended[0].value);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("where the printed coherence holds no write is refused") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Setup setup = contended(seed);
    setup.rack.faults.reorder = 0.2;
    StarRig rig(setup, busy(Coherence::paper));
    rig.run_workload();
    CHECK(rig.counter("store.refused_writes") == 0);
  }
}

TEST_CASE("what a server knows of versions survives its crash") {
  StarRig rig;
  rig.run(20_us);
  rig.put_now(kAlice, kHot);
  rig.rack.crash(kServerNode);
  rig.run(20_us);
  rig.rack.restart(kServerNode);
  rig.evict(kHot);
  CHECK_FALSE(rig.put_now(kAlice, kHot).given_up);
  REQUIRE(rig.install(kHot));
  CHECK_FALSE(rig.put_now(kBob, kHot).given_up);
  CHECK(rig.valid(kHot));
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("after a boot of the switch writes without a version are admitted as soon as the server has been told") {
  StarRig rig;
  const sim::Time lost = sim::Time{} + 2_ms;
  rig.rack.chassis().announce_power_loss(lost);
  rig.run(1900_us);
  for (int i = 0; i < 5; ++i) rig.put_now(kAlice, kHot);
  rig.run(lost - rig.calendar.now());
  rig.rack.chassis().power_off();
  rig.run(20_us);
  rig.rack.restart_switch(lost);
  rig.put(kAlice, kHot);
  rig.run(300_us);
  CHECK(rig.ended() == 6);
  CHECK(rig.valid(kHot));
  rig.judge();
  CHECK(rig.violations() == "");
}
