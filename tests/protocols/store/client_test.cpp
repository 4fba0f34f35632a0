// Clients of the store: answers, corrections, timeouts and request ids (StarCache §3.3, §3.6, §3.9).
#include "protocols/store/client.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "sim/kernel/waiting.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"

namespace client_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;
using Catch::Matchers::Contains;

namespace {

constexpr sim::Key kKey = 7;
constexpr models::NodeId kServerNode = 2;

}  // namespace

TEST_CASE("a get of a key that nobody has written reads nothing, and later gets what was put") {
  NoCacheRun run(answered_once(), small());
  CHECK(run.get_now(kAlice, kKey).value == sim::kNeverWritten);
  const Ended put = run.put_now(kBob, kKey);
  CHECK(put.write);
  CHECK(run.get_now(kAlice, kKey).value == put.value);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a client has any number of requests under way, and each ends once") {
  NoCacheRun run(answered_once(), small());
  for (std::uint64_t key = 0; key < 40; ++key) run.get(kAlice, key);
  run.advance(1_us);
  CHECK(run.store->clients().front()->outstanding() == 40);
  run.advance(200_us);
  CHECK(run.ended() == 40);
  CHECK(run.store->clients().front()->outstanding() == 0);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.requests") == 40);
}

TEST_CASE("a read whose request or answer is lost is sent again as a correction request") {
  const Op lost = GENERATE(Op::read_request, Op::read_reply);
  NoCacheRun run(Setup{}, small());
  StoreRun::lose(lost == Op::read_request ? run.rack.uplink(0) : run.rack.downlink(0), lost);
  CHECK_FALSE(run.get_now(kAlice, kKey).given_up);
  CHECK(run.tap.of(Op::read_request) == (lost == Op::read_request ? 0 : 1));
  CHECK(run.tap.of(Op::correction_request) == 1);
  CHECK(run.counter("store.timeouts") == 1);
  CHECK(run.counter("store.corrections") == 0);  // those are for collisions
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a write whose request or answer is lost is sent again and takes effect once") {
  const Op lost = GENERATE(Op::write_request, Op::write_reply);
  NoCacheRun run(Setup{}, small());
  StoreRun::lose(lost == Op::write_request ? run.rack.downlink(kServerNode) : run.rack.uplink(kServerNode), lost);
  run.put(kAlice, kKey);
  run.advance(100_us);
  const Ended second = run.put_now(kBob, kKey);  // between the two attempts
  run.advance(300_us);
  REQUIRE(run.ended() == 2);
  CHECK(run.tap.of(Op::write_request) == 3);
  CHECK(run.counter("store.duplicate_writes") == (lost == Op::write_reply ? 1 : 0));
  const std::uint64_t value = run.get_now(kBob, kKey).value;
  CHECK((value == second.value) == (lost == Op::write_reply));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a request that is never answered is given up after its attempts, and a late answer is a repeated one") {
  nocache::NoCacheOptions options = small();
  options.attempts = 3;
  NoCacheRun run(answered_once(), options);
  StoreRun::lose(run.rack.uplink(kServerNode), Op::read_reply, 2);
  StoreRun::delay(run.rack.downlink(0), 500_us, sim::Time{} + 400_us, sim::Time{} + 500_us);
  const Ended get = run.get_now(kAlice, kKey);
  CHECK(get.given_up);
  CHECK(get.at > sim::Time{} + 600_us);
  CHECK(get.at < sim::Time{} + 610_us);
  CHECK(run.counter("store.timeouts") == 3);
  CHECK(run.counter("store.repeated_answers") == 0);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.repeated_answers") == 1);
}

TEST_CASE("a client counts its attempts and their time by its own clock, be it fast or slow") {
  const std::int64_t ticks = GENERATE(2, 4, 8);  // for 4 of true time
  nocache::NoCacheOptions options = small();
  options.attempts = 3;
  NoCacheRun run(Setup{}, options);
  run.rack.server(kAlice.node).clock().set_rate(ticks, 4);
  StoreRun::lose(run.rack.uplink(kServerNode), Op::read_reply, 100);
  const Ended get = run.get_now(kAlice, kKey);
  CHECK(get.given_up);
  CHECK(run.counter("store.requests") == 3);
  CHECK(run.counter("store.timeouts") == 3);
  const sim::Duration waited = options.timeout * 3 * 4 / ticks;
  CHECK(get.at > sim::Time{} + waited);
  CHECK(get.at < sim::Time{} + waited + 10_us);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("where servers cannot recognise a write it is not sent again, and reads are") {
  nocache::NoCacheOptions options = small();
  options.exactly_once = false;
  NoCacheRun run(Setup{}, options);
  StoreRun::lose(run.rack.uplink(kServerNode), Op::write_reply);
  CHECK(run.put_now(kAlice, kKey).given_up);
  CHECK(run.tap.of(Op::write_request) == 1);
  StoreRun::lose(run.rack.uplink(kServerNode), Op::read_reply);
  CHECK_FALSE(run.get_now(kAlice, kKey).given_up);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("request ids wrap around with requests under way") {
  nocache::NoCacheOptions options = small();
  options.first_seq = 0xffff'fffb;
  Setup setup;
  setup.rack.faults.duplicate = 0.5;  // so that records of completed writes are asked
  NoCacheRun run(setup, options);
  for (std::uint64_t n = 0; n < 20; ++n) {
    run.put(kAlice, n % 3);
    run.get(kAlice, n % 3);
    run.put(kBob, n % 3);
    if (n % 4 == 3) run.advance(20_us);
  }
  run.advance(500_us);
  CHECK(run.ended() == 60);
  CHECK(run.counter("store.duplicate_writes") > 0);
  CHECK(run.counter("store.given_up") == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("an answer that the network doubles is counted, and no mistake of the store's") {
  Setup setup = answered_once();
  setup.rack.faults.duplicate = 1;
  NoCacheRun run(setup, small());
  run.get_now(kAlice, kKey);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.repeated_answers") > 0);
}

TEST_CASE("items of three packets are written by three and read by three, and a write's answer is one") {
  Setup setup = answered_once();
  setup.script.items.small_value_bytes = 3000;
  NoCacheRun run(setup, small());
  const Ended put = run.put_now(kAlice, kKey);
  CHECK(run.tap.of(Op::write_request) == 3);
  CHECK(run.tap.of(Op::write_reply) == 1);
  CHECK(run.get_now(kBob, kKey).value == put.value);
  CHECK(run.tap.of(Op::read_request) == 1);
  CHECK(run.tap.of(Op::read_reply) == 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("an item of which a packet is lost is asked for again as a whole") {
  Setup setup;
  setup.script.items.small_value_bytes = 3000;
  NoCacheRun run(setup, small());
  const Ended put = run.put_now(kAlice, kKey);
  StoreRun::lose(run.rack.downlink(1), Op::read_reply, 1, 2);
  CHECK(run.get_now(kBob, kKey).value == put.value);
  CHECK(run.tap.of(Op::read_reply) == 6);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("packets of two values make no item: the client notices and asks again") {
  Setup setup;
  setup.script.items.small_value_bytes = 3000;
  nocache::NoCacheOptions options = small();
  options.timeout = 100_us;
  // Without the header that exactly-once writes need the client returns what it gets, as printed: the oracle notices.
  const bool checks = GENERATE(true, false);
  options.exactly_once = checks;
  NoCacheRun run(setup, options);
  run.put_now(kAlice, kKey);
  // Of the answer to the first attempt two packets come when the second is under way, which is answered with another
  // value.
  const sim::Time now = run.calendar.now();
  StoreRun::delay(run.rack.uplink(kServerNode), 98_us, now, now + 50_us);
  StoreRun::lose(run.rack.uplink(kServerNode), Op::read_reply, 1, 2);
  run.get(kAlice, kKey);
  run.advance(60_us);
  run.put(kBob, kKey);
  run.advance(500_us);
  CHECK(run.ended() == 3);
  CHECK(run.counter("store.torn_items") > 0);
  run.finish();
  if (checks) CHECK(run.violations() == "");
  if (!checks) CHECK_THAT(run.violations(), Contains("torn: ") && Contains("with a part of another value"));
}

TEST_CASE(
    "packets of one version make an item: a newer one begins it again, older ones and a server's change nothing") {
  Setup setup;
  setup.script.items.small_value_bytes = 3000;
  NoCacheRun run(setup, small());
  StoreRun::lose(run.rack.uplink(kServerNode), Op::read_reply, 3);
  run.get(kAlice, kKey);
  run.advance(20_us);
  Shared& shared = run.store->shared();
  const KeyHash hash = shared.hash(kKey);
  sim::Clock clock(run.calendar, "arrivals");
  sim::Scope scope(run.calendar);
  const auto take = [&](std::uint64_t version, unsigned fragment, std::uint64_t value) {
    Message m;
    m.store = {number(Op::read_reply), shared.options.first_seq, hash.high, hash.low, 3};
    m.safety = {version, fragment + 1};
    m.key = kKey;
    m.fragment = fragment;
    m.value = sim::Value{value};
    m.brings_value = true;
    // In an event, as packets arrive.
    scope.spawn([](sim::Clock& at, Client& client, p4::PacketRef packet) -> sim::Task<void> {
      co_await sim::sleep_for(at, 100_ns);
      client.on_packet(std::move(packet));
    }(clock, *run.store->clients().front(), make_message(shared, m, kFirstPort, {kAlice.node, kFirstPort}, 0)));
    run.advance(1_us);
  };
  take(2, 0, 22);
  for (const unsigned fragment : {1u, 2u}) take(1, fragment, 11);
  CHECK(run.ended() == 0);
  take(3, 0, 33);
  for (const unsigned fragment : {1u, 2u}) take(2, fragment, 22);
  take(0, 1, 44);
  take(3, 1, 33);
  CHECK(run.ended() == 0);
  take(3, 2, 33);
  REQUIRE(run.ended() == 1);
  CHECK(run.log.ended.front().value == 33);
  CHECK(run.counter("store.torn_items") == 0);
  CHECK(run.counter("store.timeouts") == 0);
  run.finish();
  CHECK(run.violations({"data-value"}) == "");  // the answers were forged
}

TEST_CASE("an item that a server has stored from packets of two writes is torn for whoever reads it") {
  Setup setup;
  setup.script.items.small_value_bytes = 3000;
  nocache::NoCacheOptions options = small();
  options.exactly_once = false;  // the client returns what it gets
  NoCacheRun run(setup, options);
  Shared& shared = run.store->shared();
  for (unsigned fragment = 0; fragment < 3; ++fragment) {
    Message message;
    message.store.set(Op::write_request);
    message.store.seq = 1;
    message.key = kKey;
    message.fragment = fragment;
    message.value = sim::Value{fragment == 1 ? 66u : 55u};
    message.brings_value = true;
    run.store->partition(0).on_packet(
        make_message(shared, message, kFirstPort, {shared.node_of(0), shared.port_of(0)}, 0));
  }
  run.get_now(kAlice, kKey);
  CHECK(run.oracle("torn").violation_count() == 1);
  // It is found at rest too, if nobody has read it; the next write mends it.
  const auto torn = [&] {
    const std::vector<models::Leak> leaks = run.store->leaks();
    return std::any_of(leaks.begin(), leaks.end(), [](const models::Leak& leak) { return leak.kind == "torn"; });
  };
  CHECK(torn());
  run.put_now(kAlice, kKey);
  CHECK_FALSE(torn());
  run.finish();
  CHECK(run.violations({"data-value", "torn"}) == "");
}

}  // namespace client_test
