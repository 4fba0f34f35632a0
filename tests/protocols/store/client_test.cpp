// Clients of the store: answers, corrections, timeouts and request ids (StarCache §3.3, §3.6, §3.9).
#include "protocols/store/client.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "protocols/nocache/nocache.hpp"
#include "tests/protocols/store/rig.hpp"

using namespace racksim;
using namespace racksim::store;
using namespace racksim::store::testing;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t kKey = 7;
constexpr models::NodeId kServerNode = 2;

nocache::NoCacheOptions small() {
  return small_store<nocache::NoCacheOptions>();
}

}  // namespace

TEST_CASE("a get of a key that nobody has written reads nothing, and later gets what was put") {
  Rig rig(Setup{}, small());
  CHECK(rig.get_now(kAlice, kKey).value == sim::kNeverWritten);
  const Ended put = rig.put_now(kBob, kKey);
  CHECK(put.write);
  CHECK(rig.get_now(kAlice, kKey).value == put.value);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.answered_once.violation_count() == 0);
}

TEST_CASE("a client has any number of requests under way, and each ends once") {
  Rig rig(Setup{}, small());
  for (std::uint64_t key = 0; key < 40; ++key) rig.get(kAlice, key);
  rig.run(1_us);
  CHECK(rig.store->clients().front()->outstanding() == 40);
  rig.run(200_us);
  CHECK(rig.ended() == 40);
  CHECK(rig.store->clients().front()->outstanding() == 0);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.answered_once.violation_count() == 0);
  CHECK(rig.counter("store.requests") == 40);
}

TEST_CASE("a read whose request or answer is lost is sent again as a correction request") {
  const Op lost = GENERATE(Op::read_request, Op::read_reply);
  Rig rig(Setup{}, small());
  Rig::lose(lost == Op::read_request ? rig.rack.uplink(0) : rig.rack.downlink(0), lost);
  CHECK_FALSE(rig.get_now(kAlice, kKey).given_up);
  CHECK(rig.tap.of(Op::read_request) == (lost == Op::read_request ? 0 : 1));
  CHECK(rig.tap.of(Op::correction_request) == 1);
  CHECK(rig.counter("store.timeouts") == 1);
  CHECK(rig.counter("store.corrections") == 0);  // those are for collisions
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a write whose request or answer is lost is sent again and takes effect once") {
  const Op lost = GENERATE(Op::write_request, Op::write_reply);
  Rig rig(Setup{}, small());
  Rig::lose(lost == Op::write_request ? rig.rack.downlink(kServerNode) : rig.rack.uplink(kServerNode), lost);
  rig.put(kAlice, kKey);
  rig.run(100_us);
  const Ended second = rig.put_now(kBob, kKey);  // between the two attempts
  rig.run(300_us);
  REQUIRE(rig.ended() == 2);
  CHECK(rig.tap.of(Op::write_request) == 3);
  CHECK(rig.counter("store.duplicate_writes") == (lost == Op::write_reply ? 1 : 0));
  const std::uint64_t value = rig.get_now(kBob, kKey).value;
  CHECK((value == second.value) == (lost == Op::write_reply));
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("a request that is never answered is given up after its attempts, and a late answer is a repeated one") {
  nocache::NoCacheOptions options = small();
  options.attempts = 3;
  Rig rig(Setup{}, options);
  Rig::lose(rig.rack.uplink(kServerNode), Op::read_reply, 2);
  Rig::delay(rig.rack.downlink(0), 500_us, sim::Time{} + 400_us, sim::Time{} + 500_us);
  const Ended get = rig.get_now(kAlice, kKey);
  CHECK(get.given_up);
  CHECK(get.at > sim::Time{} + 600_us);
  CHECK(get.at < sim::Time{} + 610_us);
  CHECK(rig.counter("store.timeouts") == 3);
  CHECK(rig.answered_once.violation_count() == 0);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.answered_once.violation_count() == 1);
}

TEST_CASE("a client counts its attempts and their time by its own clock, be it fast or slow") {
  const std::int64_t ticks = GENERATE(2, 4, 8);  // for 4 of true time
  nocache::NoCacheOptions options = small();
  options.attempts = 3;
  Rig rig(Setup{}, options);
  rig.rack.server(kAlice.node).clock().set_rate(ticks, 4);
  Rig::lose(rig.rack.uplink(kServerNode), Op::read_reply, 100);
  const Ended get = rig.get_now(kAlice, kKey);
  CHECK(get.given_up);
  CHECK(rig.counter("store.requests") == 3);
  CHECK(rig.counter("store.timeouts") == 3);
  const sim::Duration waited = options.timeout * 3 * 4 / ticks;
  CHECK(get.at > sim::Time{} + waited);
  CHECK(get.at < sim::Time{} + waited + 10_us);
}

TEST_CASE("where servers cannot recognise a write it is not sent again, and reads are") {
  nocache::NoCacheOptions options = small();
  options.exactly_once = false;
  Rig rig(Setup{}, options);
  Rig::lose(rig.rack.uplink(kServerNode), Op::write_reply);
  CHECK(rig.put_now(kAlice, kKey).given_up);
  CHECK(rig.tap.of(Op::write_request) == 1);
  Rig::lose(rig.rack.uplink(kServerNode), Op::read_reply);
  CHECK_FALSE(rig.get_now(kAlice, kKey).given_up);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("request ids wrap around with requests under way") {
  nocache::NoCacheOptions options = small();
  options.first_seq = 0xffff'fffb;
  Setup setup;
  setup.rack.faults.duplicate = 0.5;  // so that records of completed writes are asked
  Rig rig(setup, options);
  for (std::uint64_t n = 0; n < 20; ++n) {
    rig.put(kAlice, n % 3);
    rig.get(kAlice, n % 3);
    rig.put(kBob, n % 3);
    if (n % 4 == 3) rig.run(20_us);
  }
  rig.run(500_us);
  CHECK(rig.ended() == 60);
  CHECK(rig.counter("store.duplicate_writes") > 0);
  CHECK(rig.counter("store.given_up") == 0);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("an answer that the network doubles is noticed by the oracle of answers") {
  Setup setup;
  setup.rack.faults.duplicate = 1;
  Rig rig(setup, small());
  rig.get_now(kAlice, kKey);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.answered_once.violation_count() > 0);
}

TEST_CASE("items of three packets are written by three and read by three, and a write's answer is one") {
  Setup setup;
  setup.items.small_value_bytes = 3000;
  Rig rig(setup, small());
  const Ended put = rig.put_now(kAlice, kKey);
  CHECK(rig.tap.of(Op::write_request) == 3);
  CHECK(rig.tap.of(Op::write_reply) == 1);
  CHECK(rig.get_now(kBob, kKey).value == put.value);
  CHECK(rig.tap.of(Op::read_request) == 1);
  CHECK(rig.tap.of(Op::read_reply) == 3);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.answered_once.violation_count() == 0);
}

TEST_CASE("an item of which a packet is lost is asked for again as a whole") {
  Setup setup;
  setup.items.small_value_bytes = 3000;
  Rig rig(setup, small());
  const Ended put = rig.put_now(kAlice, kKey);
  Rig::lose(rig.rack.downlink(1), Op::read_reply, 1, 2);
  CHECK(rig.get_now(kBob, kKey).value == put.value);
  CHECK(rig.tap.of(Op::read_reply) == 6);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("packets of two values make no item: the client notices and asks again") {
  Setup setup;
  setup.items.small_value_bytes = 3000;
  nocache::NoCacheOptions options = small();
  options.timeout = 100_us;
  // Without the header that exactly-once writes need the client returns what it gets, as printed: the oracle notices.
  const bool checks = GENERATE(true, false);
  options.exactly_once = checks;
  Rig rig(setup, options);
  rig.put_now(kAlice, kKey);
  // Of the answer to the first attempt two packets come when the second is under way, which is answered with another
  // value.
  const sim::Time now = rig.calendar.now();
  Rig::delay(rig.rack.uplink(kServerNode), 98_us, now, now + 50_us);
  Rig::lose(rig.rack.uplink(kServerNode), Op::read_reply, 1, 2);
  rig.get(kAlice, kKey);
  rig.run(60_us);
  rig.put(kBob, kKey);
  rig.run(500_us);
  CHECK(rig.ended() == 3);
  CHECK(rig.counter("store.torn_items") > 0);
  rig.judge();
  if (checks) CHECK(rig.violations() == "");
  if (!checks) CHECK_THAT(rig.violations(), Contains("torn: ") && Contains("with a part of another value"));
}

TEST_CASE(
    "packets of one version make an item: a newer one begins it again, older ones and a server's change nothing") {
  Setup setup;
  setup.items.small_value_bytes = 3000;
  Rig rig(setup, small());
  Rig::lose(rig.rack.uplink(kServerNode), Op::read_reply, 3);
  rig.get(kAlice, kKey);
  rig.run(20_us);
  Shared& shared = rig.store->shared();
  const KeyHash hash = shared.hash(kKey);
  sim::Clock clock(rig.calendar, "arrivals");
  sim::Scope scope(rig.calendar);
  const auto take = [&](std::uint64_t version, unsigned fragment, std::uint64_t value) {
    Message m;
    m.store = {number(Op::read_reply), shared.options.first_seq, hash.high, hash.low, 3};
    m.safety = {version, fragment + 1};
    m.key = kKey;
    m.fragment = fragment;
    m.value = value;
    m.brings_value = true;
    // In an event, as packets arrive.
    scope.spawn([](sim::Clock& at, Client& client, p4::PacketRef packet) -> sim::Task<void> {
      co_await sim::sleep_for(at, 100_ns);
      client.on_packet(std::move(packet));
    }(clock, *rig.store->clients().front(), make_message(shared, m, kFirstPort, {kAlice.node, kFirstPort}, 0)));
    rig.run(1_us);
  };
  take(2, 0, 22);
  for (const unsigned fragment : {1u, 2u}) take(1, fragment, 11);
  CHECK(rig.ended() == 0);
  take(3, 0, 33);
  for (const unsigned fragment : {1u, 2u}) take(2, fragment, 22);
  take(0, 1, 44);
  take(3, 1, 33);
  CHECK(rig.ended() == 0);
  take(3, 2, 33);
  REQUIRE(rig.ended() == 1);
  CHECK(rig.log.ended.front().value == 33);
  CHECK(rig.counter("store.torn_items") == 0);
  CHECK(rig.counter("store.timeouts") == 0);
}

TEST_CASE("an item that a server has stored from packets of two writes is torn for whoever reads it") {
  Setup setup;
  setup.items.small_value_bytes = 3000;
  nocache::NoCacheOptions options = small();
  options.exactly_once = false;  // the client returns what it gets
  Rig rig(setup, options);
  Shared& shared = rig.store->shared();
  for (unsigned fragment = 0; fragment < 3; ++fragment) {
    Message message;
    message.store.set(Op::write_request);
    message.store.seq = 1;
    message.key = kKey;
    message.fragment = fragment;
    message.value = fragment == 1 ? 66 : 55;
    message.brings_value = true;
    rig.store->partition(0).on_packet(
        make_message(shared, message, kFirstPort, {shared.node_of(0), shared.port_of(0)}, 0));
  }
  rig.get_now(kAlice, kKey);
  CHECK(rig.torn.violation_count() == 1);
  // It is found at rest too, if nobody has read it; the next write mends it.
  const auto torn = [&] {
    const std::vector<models::Leak> leaks = rig.protocol->leaks();
    return std::any_of(leaks.begin(), leaks.end(), [](const models::Leak& leak) { return leak.kind == "torn"; });
  };
  CHECK(torn());
  rig.put_now(kAlice, kKey);
  CHECK_FALSE(torn());
}
