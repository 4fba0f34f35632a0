// StarCache with clients in one rack and servers in another: the switch of the servers' rack alone has cache logic
// (StarCache §3.9).
#include <catch2/catch.hpp>

#include "tests/protocols/starcache/starcache_run.hpp"

namespace starcache_racks_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;
using namespace racksim::sim::literals;

namespace {

constexpr unsigned kClientsSwitch = 0, kServersSwitch = 1;

/// Nodes 0 and 1 in the first rack, the server in the second.
Setup in_two_racks(Setup setup = with_hot_key()) {
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = 1;
  return setup;
}
/// A client in the first rack, one in the second with the servers: writes of the second pass its switch alone.
Setup clients_in_both(std::uint64_t seed) {
  Setup setup = contended(seed);
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = 2;
  return setup;
}

StarCacheOptions with_same_entries(StarCacheOptions options) {
  options.same_entries = true;
  return options;
}

std::uint64_t read_at(StarCacheRun& run, unsigned network_switch, const p4::RegisterArray* array,
                      std::uint64_t index = 0) {
  return run.rack.chassis(network_switch).pipeline(0).registers().read(array->id, index);
}

}  // namespace

TEST_CASE("across racks the servers' switch alone applies the cache logic, also when both have the same entries",
          "[claim:starcache-s39-one-tor]") {
  const Coherence coherence = GENERATE(Coherence::versions, Coherence::paper);
  StarCacheRun run(in_two_racks(), with_same_entries(small(coherence)));
  run.advance(100_us);
  CHECK(run.valid(kHot));
  run.get_now(kAlice, kHot);
  run.put_now(kBob, kHot);
  run.get_now(kAlice, kHot);
  run.advance(50_us);
  CHECK(run.counter("store.answers_by_switch") == 2);
  CHECK(run.read(run.star.program().hits) == 2);
  CHECK(run.rack.chassis(kServersSwitch).packets_circulating() == 1);
  // The clients' switch knows the key, and has let all of it pass.
  const std::uint64_t index = run.star.manager().index_of(kHot);
  CHECK(run.rack.chassis(kClientsSwitch).pipeline(0).entries(*run.star.program().lookup) == 1);
  CHECK(run.rack.chassis(kClientsSwitch).pipeline(0).counters(*run.star.program().lookup).hits > 0);
  CHECK(read_at(run, kClientsSwitch, run.star.program().hits) == 0);
  CHECK(read_at(run, kClientsSwitch, run.star.program().state, index) >> 32 == 0);
  CHECK(read_at(run, kClientsSwitch, run.star.program().rear, index) == 0);
  CHECK(run.rack.chassis(kClientsSwitch).packets_circulating() == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("without the same entries the clients' switch and the spine forward plainly") {
  StarCacheRun run(in_two_racks());
  CHECK(run.rack.chassis(0).pipeline(0).program().name() == "l2l3-forwarding");
  CHECK(run.rack.chassis(1).pipeline(0).program().name() == "starcache");
  CHECK(run.rack.chassis(2).pipeline(0).program().name() == "l2l3-forwarding");
  run.get_now(kAlice, kHot);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("writes from both racks are coherent, whichever switches hold the entries") {
  const std::uint64_t seed = GENERATE(1u, 2u);
  const bool same = GENERATE(false, true);
  StarCacheOptions options = busy();
  options.same_entries = same;
  StarCacheRun run(clients_in_both(seed), options);
  run.finish();
  CHECK(run.counter("store.answers_by_switch") > 0);
  CHECK(run.violations() == "");
}

TEST_CASE("cache logic for servers of other racks serves what was written behind it") {
  // What own_servers_only prevents: a copy in the first rack's switch, launched by the reply to a write of its client,
  // that no write from the second rack invalidates. One after the other, as printed; with versions the switches count
  // differently, and the first never takes its copies for valid.
  const bool own_servers_only = GENERATE(true, false);
  Setup setup = with_hot_key();
  setup.rack.nodes = 3;
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = 2;  // Bob and the server
  StarCacheOptions options = with_same_entries(small(Coherence::paper));
  options.own_servers_only = own_servers_only;
  StarCacheRun run(setup, options);
  run.advance(100_us);
  run.put_now(kAlice, kHot);
  run.advance(50_us);
  const std::uint64_t written = run.put_now(kBob, kHot).value;
  run.advance(50_us);
  const std::uint64_t read = run.get_now(kAlice, kHot).value;
  run.finish();
  CHECK((read == written) == own_servers_only);
  CHECK(run.found("data-value") == !own_servers_only);
}

TEST_CASE("the cache is rebuilt after the servers' switch has restarted, and the others keep what they have") {
  Setup setup = failing_by_hand(in_two_racks());
  StarCacheRun run(setup, with_same_entries(small()));
  run.advance(1_ms);
  const std::uint32_t boots = run.rack.chassis(kClientsSwitch).boots();
  run.restart_switch();
  run.advance(3_ms);
  CHECK(run.star.manager().is_cached(kHot));
  CHECK(run.valid(kHot));
  CHECK(run.rack.chassis(kClientsSwitch).boots() == boots);
  CHECK(run.rack.chassis(kClientsSwitch).pipeline(0).entries(*run.star.program().lookup) == 1);
  run.get_now(kAlice, kHot);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a switch of another rack gets its entries again when it has restarted, and packets pass it") {
  Setup setup = failing_by_hand(in_two_racks());
  StarCacheRun run(setup, with_same_entries(small()));
  run.advance(1_ms);
  const sim::Time lost = run.calendar.now() + 2_ms;
  run.rack.chassis(kClientsSwitch).announce_power_loss(lost);
  run.advance(2_ms);
  run.rack.chassis(kClientsSwitch).power_off();
  run.advance(20_us);
  run.rack.restart_switch(lost, kClientsSwitch);
  run.advance(1_ms);
  CHECK(run.rack.chassis(kClientsSwitch).pipeline(0).entries(*run.star.program().lookup) == 1);
  CHECK(run.rack.chassis(kClientsSwitch).pipeline(0).entries(*run.star.program().own_request) == 0);
  CHECK(run.get_now(kAlice, kHot).given_up == false);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("servers in several racks are refused: a store's items are cached in one switch") {
  Setup setup = with_hot_key();
  setup.rack.nodes = 4;
  setup.rack.topology.racks = 2;
  setup.rack.topology.last_rack = 1;
  auto options = small();
  options.server_nodes = 2;
  CHECK_THROWS_WITH(StarCacheRun(setup, options),
                    Catch::Contains("node 2 on the switch tor0 and node 3 on tor1") && Catch::Contains("§3.9"));
}

}  // namespace starcache_racks_test
