// The store as a whole: assembly and its refusals, servers and their loads, crashes, faults (StarCache §4, §5.1).
#include "protocols/nocache/nocache.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "p4model/language/headers.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"

namespace nocache_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::nocache::testing;
using Catch::Matchers::Contains;

TEST_CASE("a rack in which all nodes are servers has no client and is refused") {
  nocache::NoCacheOptions options = small();
  options.server_nodes = 3;
  CHECK_THROWS_WITH(NoCacheRun(Setup{}, options), Contains("so that some are clients"));
}

TEST_CASE("more partitions or client threads than cores are refused") {
  nocache::NoCacheOptions options = small();
  options.partitions = 5;
  CHECK_THROWS_WITH(NoCacheRun(Setup{}, options), Contains("cores"));
  Setup setup;
  setup.script.threads = 5;
  CHECK_THROWS_WITH(NoCacheRun(setup, small()), Contains("cores"));
}

TEST_CASE("a key that leaves no room for a value, and a value of too many packets, are refused") {
  Setup setup;
  setup.script.items.key_bytes = 1424;  // 1460 bytes of payload less 36 of headers
  CHECK_THROWS_WITH(NoCacheRun(setup, small()), Contains("so that a value has room"));
  setup.script.items.key_bytes = 1423;
  setup.script.items.large_value_bytes = 64;
  CHECK_NOTHROW(NoCacheRun(setup, small()));
  setup.script.items.large_value_bytes = 65;
  CHECK_THROWS_WITH(NoCacheRun(setup, small()), Contains("64 packets"));
}

TEST_CASE("the packet format leaves 1438 bytes for key and value where nothing is added to it",
          "[claim:starcache-s32-header-22][claim:starcache-s32-max-item]") {
  // §3.2: 22 bytes of header, OP, SEQ, HKEY and FLAG; the prototype's measuring takes 6 more (§4).
  CHECK(StoreHeader::kLayout.bytes() == 1 + 4 + 16 + 1);
  CHECK(kMostPayload - StoreHeader::kLayout.bytes() == 1438);
  nocache::NoCacheOptions options = small();
  options.exactly_once = false;
  NoCacheRun run(Setup{}, options);
  CHECK(run.store->shared().value_room() == 1422 - 6);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a key belongs to one server, and its requests go nowhere else") {
  nocache::NoCacheOptions options = small();
  options.partitions = 4;
  NoCacheRun run(Setup{}, options);
  Shared& shared = run.store->shared();
  std::vector<std::uint64_t> expected(4);
  for (std::uint64_t key = 0; key < 30; ++key) {
    run.get(kAlice, key);
    run.put(kBob, key);
    expected[server_of(shared.hash(sim::Key{key}), 4)] += 2;
    run.advance(10_us);
  }
  for (unsigned server = 0; server < 4; ++server) CHECK(run.store->partition(server).served() == expected[server]);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a server's rate is that of its core: a hundred requests of ten microseconds take a millisecond") {
  nocache::NoCacheOptions options = small();
  options.service_work = 10_us;
  options.timeout = 5_ms;
  NoCacheRun run(Setup{}, options);
  for (int i = 0; i < 100; ++i) run.get(kAlice, 1);
  run.advance(990_us);
  CHECK(run.ended() < 100);
  run.advance(40_us);
  CHECK(run.ended() == 100);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the balancing efficiency is the slowest server's throughput over the fastest's") {
  nocache::NoCacheOptions options = small();
  options.partitions = 2;
  Setup setup;
  setup.plan.warmup = {50_us, std::nullopt};
  NoCacheRun run(setup, options);
  Shared& shared = run.store->shared();
  std::uint64_t first = 0, second = 0;
  while (server_of(shared.hash(sim::Key{first}), 2) != 0) ++first;
  while (server_of(shared.hash(sim::Key{second}), 2) != 1) ++second;
  run.put_now(kAlice, first);  // before the window opens
  CHECK_FALSE(run.metrics.measuring());
  run.advance(50_us);
  CHECK(run.metrics.measuring());
  for (int i = 0; i < 4; ++i) run.get(kAlice, first);
  run.get(kBob, second);
  run.advance(100_us);
  run.heal();
  CHECK(run.gauge("store.balancing_efficiency") == Approx(0.25));
  CHECK(run.gauge("store.server00.mops") == Approx(4 / (run.metrics.window_length().ns() / 1000)));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a server that crashes with a write under way and comes back answers it, and has lost nothing") {
  NoCacheRun run(Setup{}, small());
  const Ended before = run.put_now(kAlice, 1);
  run.put(kBob, 2);
  run.advance(2_us);
  run.rack.crash(2);
  run.advance(50_us);
  CHECK(run.ended() == 1);
  run.rack.restart(2);
  run.advance(400_us);
  CHECK(run.ended() == 2);
  CHECK(run.get_now(kAlice, 1).value == before.value);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("operations of a client that crashes are given up, and the others go on") {
  Setup setup;
  setup.add_fault("crash", R"({"node": 0, "from": "1us", "stays_down": true})");
  NoCacheRun run(setup);
  run.put(kAlice, 1);
  run.get(kAlice, 2);
  run.advance(1_us);
  CHECK(run.ended() == 2);
  CHECK(run.store->clients()[0]->outstanding() == 0);
  CHECK_FALSE(run.get_now(kBob, 1).given_up);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a request without an answer at the end is a leak") {
  nocache::NoCacheOptions options = small();
  options.timeout = 10_ms;
  options.attempts = 1000;
  Setup setup;
  setup.plan.drain = 100_us;
  NoCacheRun run(setup, options);
  run.rack.uplink(0).set_up(false);
  run.get(kAlice, 1);
  run.advance(10_us);
  CHECK_FALSE(run.store->quiescent());
  run.finish();
  CHECK_THAT(run.violations(), Contains("stuck-request") && Contains("node0/thread0"));
}

TEST_CASE("packets are described for charts: operation, request id, key and both ends") {
  NoCacheRun run(Setup{}, small());
  Message message;
  message.store.set(Op::write_request);
  message.store.seq = 9;
  message.safety.version = 4;
  message.key = 77;
  auto packet = make_message(run.store->shared(), message, kFirstPort, {2, kFirstPort}, 0);
  packet->get_at<p4::Ipv4>(1).src = models::ipv4_of(1);
  const auto description = run.store->describe(*packet);
  REQUIRE(description);
  CHECK(description->label == "W-REQ seq 9 version 4");
  CHECK(description->key == 77);
  CHECK(description->from == "n1.t0");
  CHECK(description->to == "n2.p0");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the store survives each kind of fault that it promises to, and their mixture") {
  std::vector<std::vector<std::string>> menus;
  for (const auto& entry : models::protocols()) {
    if (entry.name != "nocache") continue;
    for (const std::string& kind : entry.tolerates) menus.push_back({kind});
    menus.push_back(entry.tolerates);
  }
  REQUIRE(menus.size() > 1);
  for (const auto& kinds : menus) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Setup setup;
      setup.seed = seed;
      setup.rack.nodes = 5;
      setup.workload = store::testing::contended_keys(12, 2'000'000);
      nocache::NoCacheOptions options = small();
      options.server_nodes = 2;
      options.partitions = 4;  // with fewer, requests would wait for servers longer than their timeout
      setup.draw_faults(200_us, kinds);
      NoCacheRun run(setup, options);
      run.finish();
      INFO(kinds.front() << (kinds.size() > 1 ? " and others" : "") << ", seed " << seed);
      CHECK(run.violations() == "");
      CHECK(run.store->quiescent());
    }
  }
}

TEST_CASE("without loss every request of a random workload is answered once") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Setup setup = answered_once();
    setup.seed = seed;
    setup.workload = store::testing::contended_keys(12, 2'000'000);
    nocache::NoCacheOptions options = small();
    options.partitions = 4;
    NoCacheRun run(setup, options);
    run.finish();
    CHECK(run.violations() == "");
    CHECK(run.counter("store.timeouts") == 0);
  }
}

}  // namespace nocache_test
