// Requests and the packets that answer them, end to end on a rack (StarCache §3.3 to §3.6, §3.9).
#include <catch2/catch.hpp>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/rig.hpp"

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

StarCacheOptions either() {
  return small(GENERATE(Coherence::versions, Coherence::paper));
}

void check_answered_once(StarRig& rig) {
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.answered_once.violation_count() == 0);
}

}  // namespace

TEST_CASE(
    "a request for a cached key is absorbed and answered by the circulating packet, no packet reaches the server") {
  StarRig rig(with_hot_key(), either());
  rig.run(20_us);
  REQUIRE(rig.valid(kHot));
  CHECK(rig.circulating() == 1);
  CHECK(rig.star_counter("fetches") == 1);
  const std::uint64_t sent = rig.rack.downlink(kServerNode).packets_sent();
  CHECK_FALSE(rig.get_now(kAlice, kHot).given_up);
  CHECK(rig.rack.downlink(kServerNode).packets_sent() == sent);
  CHECK(rig.served() == 0);
  CHECK(rig.circulating() == 1);
  CHECK(rig.read(rig.star.program().hits) == 1);
  check_answered_once(rig);
}

TEST_CASE("one fetch serves any number of requests, each once and each client its own",
          "[claim:starcache-s35-one-fetch]") {
  StarRig rig(with_hot_key(), either());
  rig.run(20_us);
  const Ended put = rig.put_now(kBob, kHot);
  rig.run(20_us);
  const std::uint64_t served = rig.served();
  for (int i = 0; i < 50; ++i) {
    rig.get(kAlice, kHot);
    rig.get(kBob, kHot);
    rig.run(5_us);
  }
  CHECK(rig.ended() == 101);
  for (const Ended& e : rig.log.ended) CHECK(e.value == put.value);
  CHECK(rig.served() == served);
  CHECK(rig.star_counter("fetches") == 1);
  CHECK(rig.circulating() == 1);
  check_answered_once(rig);
}

TEST_CASE("requests for a key whose queue is full overflow to the server, are answered and counted") {
  Setup setup = with_hot_key();
  setup.rack.network_switch.recirculation_bits_per_second = 100'000'000;  // a loop of more than 10 us
  StarRig rig(setup, either());
  rig.run(60_us);
  rig.protocol->start_measuring();
  for (int i = 0; i < 12; ++i) rig.get(kAlice, kHot);
  rig.run(400_us);
  CHECK(rig.ended() == 12);
  const std::uint64_t overflows = rig.read(rig.star.program().overflow);
  CHECK(overflows > 0);
  CHECK(overflows <= 8);  // four wait
  CHECK(rig.served() == overflows);
  CHECK(rig.read(rig.star.program().hits) == 12);
  rig.protocol->stop_measuring();
  const auto gauge = [&](const char* name) { return std::get<sim::Gauge>(rig.metrics.find(name)->value).value; };
  CHECK(gauge("store.overflow_share") == Approx(static_cast<double>(overflows) / 12));
  check_answered_once(rig);
}

TEST_CASE("while a write is pending reads go to the server, and one reply answers it and revalidates",
          "[claim:starcache-s37-one-reply]") {
  StarCacheOptions options = either();
  options.service_work = 10_us;
  StarRig rig(with_hot_key(), options);
  rig.run(50_us);
  rig.put(kAlice, kHot);
  rig.run(5_us);
  CHECK_FALSE(rig.valid(kHot));
  CHECK(rig.circulating() == 0);  // the old value has been dropped
  rig.get(kBob, kHot);
  rig.run(5_us);
  CHECK(rig.tap.of(Op::read_request) == 1);
  rig.run(30_us);
  REQUIRE(rig.ended() == 2);
  CHECK(rig.valid(kHot));
  CHECK(rig.circulating() == 1);
  CHECK(rig.served() == 2);
  CHECK(rig.tap.of(Op::write_reply) == 1);  // the server sends a single packet (§3.7)
  CHECK(rig.tap.of(Op::read_reply) == 1);
  CHECK(rig.tap.of(switch_cache::kFetchReply) == 1);
  CHECK(rig.get_now(kBob, kHot).value == rig.log.ended.front().value);
  CHECK(rig.served() == 2);
  check_answered_once(rig);
}

TEST_CASE("a write of an uncached key is answered without the value") {
  StarRig rig(with_hot_key(), either());
  const Ended put = rig.put_now(kAlice, kCold);
  CHECK(rig.get_now(kBob, kCold).value == put.value);
  CHECK(rig.served() == 2);
  CHECK(rig.tap.of(Op::write_reply) == 1);
  CHECK(rig.circulating() == 1);
  check_answered_once(rig);
}

TEST_CASE("an item of three packets circulates as three, and is read and written whole") {
  StarRig rig(with_hot_key(3000), either());
  rig.run(30_us);
  CHECK(rig.circulating() == 3);
  const Ended put = rig.put_now(kAlice, kHot);
  CHECK(rig.tap.of(Op::write_request) == 3);
  CHECK(rig.tap.of(Op::write_reply) == 3);
  rig.run(20_us);
  CHECK(rig.circulating() == 3);
  for (int i = 0; i < 10; ++i) {
    rig.get(kAlice, kHot);
    rig.get(kBob, kHot);
    rig.run(10_us);
  }
  CHECK(rig.served() == 1);
  for (const Ended& e : rig.log.ended) CHECK(e.value == put.value);
  CHECK(rig.counter("store.torn_items") == 0);
  check_answered_once(rig);
}

TEST_CASE("with versions a torn item is never returned: reads during writes of three packets end with one value") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Setup setup = contended(seed);
    setup.workload->small_share = 0;
    setup.workload->keys = 4;
    setup.workload->swap_keys = 2;
    StarRig rig(setup, busy());
    rig.run_workload();
    CHECK(rig.violations() == "");
    CHECK(rig.counter("store.given_up") == 0);
  }
}

TEST_CASE("a key that leaves the cache takes its packet with it at its next pass",
          "[claim:starcache-s33-evicted-dropped]") {
  const std::uint32_t value_bytes = GENERATE(64, 3000);
  StarRig rig(with_hot_key(value_bytes), either());
  rig.run(30_us);
  CHECK(rig.circulating() == (value_bytes > 64 ? 3 : 1));
  rig.evict(kHot);
  CHECK_FALSE(rig.star.manager().is_cached(kHot));
  CHECK(rig.circulating() == 0);
  CHECK_FALSE(rig.get_now(kAlice, kHot).given_up);
  CHECK(rig.served() == 1);
  check_answered_once(rig);
}

TEST_CASE("with few hash bits keys collide, every get returns its own key, and corrections are counted",
          "[claim:starcache-s36-correct-value]") {
  StarCacheOptions options = either();
  options.hash_bits = 2;
  Setup setup;
  setup.preload = {0, 1, 2, 3};
  StarRig rig(setup, options);
  rig.run(50_us);
  for (std::uint64_t key = 0; key < 12; ++key) rig.put_now(kAlice, key);
  for (std::uint64_t key = 0; key < 12; ++key) CHECK(rig.get_now(kBob, key).value == rig.log.ended[key].value);
  CHECK(rig.counter("store.corrections") > 0);
  CHECK(rig.tap.of(Op::correction_request) == rig.counter("store.corrections"));
  check_answered_once(rig);
}

TEST_CASE("with the check of returned keys off, collisions are noticed by the oracle of returned keys") {
  StarCacheOptions options = either();
  options.hash_bits = 2;
  options.collision_check = false;
  Setup setup;
  setup.preload = {0, 1, 2, 3};
  StarRig rig(setup, options);
  rig.run(50_us);
  for (std::uint64_t key = 0; key < 12; ++key) rig.get_now(kBob, key);
  CHECK(rig.returned_key.violation_count() > 0);
}

TEST_CASE("request ids wrap around in the request table and at the servers") {
  StarCacheOptions options = either();
  options.first_seq = 0xffff'fff8;
  StarRig rig(with_hot_key(), options);
  rig.run(20_us);
  for (int i = 0; i < 12; ++i) {
    rig.get(kAlice, kHot);
    rig.get(kBob, kHot);
    rig.run(10_us);
    rig.put_now(kAlice, i % 2 == 0 ? kHot : kCold);
    rig.run(10_us);
  }
  CHECK(rig.ended() == 36);
  CHECK(rig.counter("store.given_up") == 0);
  CHECK(rig.counter("store.duplicate_writes") == 0);
  check_answered_once(rig);
}

TEST_CASE("without loss every request of a random workload is answered once, whatever the coherence") {
  StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setup setup = contended(seed);
    setup.workload->small_share = 1;
    StarRig rig(setup, options);
    rig.run_workload();
    INFO("seed " << seed);
    CHECK(rig.answered_once.violation_count() == 0);
    CHECK(rig.progress.violation_count() == 0);
    CHECK(rig.returned_key.violation_count() == 0);
    CHECK_FALSE(rig.balance);
    if (options.coherence == Coherence::versions) CHECK(rig.violations() == "");
  }
}

TEST_CASE("without loss a request for an item of several packets is answered once and whole, at the first attempt") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Setup setup = contended(seed);
    setup.workload->small_share = 0;
    StarRig rig(setup, busy());
    rig.run_workload();
    INFO("seed " << seed);
    CHECK(rig.violations() == "");
    CHECK(rig.counter("store.torn_items") == 0);
    CHECK(rig.counter("store.timeouts") == 0);
    CHECK(rig.counter("store.corrections") == 0);
    CHECK(rig.Rig::served.violation_count() == 0);
  }
}
