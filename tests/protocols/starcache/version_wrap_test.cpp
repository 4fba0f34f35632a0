// Versions of 4 bits: hundreds of writes of one key, wrapped around many times, are coherent, in StarCache and in
// NetCache; a comparison that does not know of the wrap refuses a key's writes for good (store/version.hpp).
#include <catch2/catch.hpp>

#include "protocols/netcache/messages.hpp"
#include "protocols/netcache/netcache.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace version_wrap_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

constexpr int kWrites = 400;

StarCacheOptions star_options(bool serial = true) {
  StarCacheOptions options = small();
  options.version_bits = 4;
  options.serial_versions = serial;
  return options;
}

netcache::NetCacheOptions net_options(bool serial = true) {
  auto options = small_store<netcache::NetCacheOptions>();
  options.preload = 1;
  options.cache_entries = 8;
  options.update_timeout = 50_us;
  options.fetch_timeout = 30_us;
  options.version_bits = 4;
  options.serial_versions = serial;
  return options;
}

Setup wires(std::uint64_t seed, bool lossy) {
  Setup setup = with_hot_key();
  setup.seed = seed;
  if (!lossy) return setup;
  // Packets are late by less than the time in which seven writes of the key pass the switch.
  setup.rack.faults.loss = 0.01;
  setup.rack.faults.duplicate = 0.05;
  setup.rack.faults.reorder = 0.1;
  setup.rack.faults.reorder_delay = 8_us;
  return setup;
}

/// Two clients write the key at the same time, again and again, and read it.
void play(StoreRun& run) {
  run.advance(50_us);
  for (int n = 0; n < kWrites / 2; ++n) {
    run.put(kAlice, kHot);
    run.advance(sim::Duration::from_ps(n % 7 * 300'000));
    run.put(kBob, kHot);
    run.get(kAlice, kHot);
    run.advance(12_us);
    run.get(kBob, kHot);
    run.advance(6_us);
  }
  run.finish();
}

}  // namespace

TEST_CASE("hundreds of writes of one key wrap StarCache's versions of 4 bits and are coherent") {
  const bool lossy = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= (lossy ? 5 : 1); ++seed) {
    INFO("seed " << seed << (lossy ? ", lossy" : ""));
    StarCacheRun run(wires(seed, lossy), star_options());
    play(run);
    CHECK(run.violations() == "");
    CHECK(run.counter("store.given_up") == 0);
    CHECK((run.state(kHot) & 0xffff'ffff) <= 15);
    CHECK(run.served() >= kWrites);
    CHECK(run.tap.circulating[store::number(Op::read_reply)] > 0);
  }
}

TEST_CASE("hundreds of writes of one key wrap NetCache's versions of 4 bits and are coherent") {
  const bool lossy = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= (lossy ? 5 : 1); ++seed) {
    INFO("seed " << seed << (lossy ? ", lossy" : ""));
    StoreRun run(wires(seed, lossy), "netcache", net_options());
    play(run);
    CHECK(run.violations() == "");
    CHECK(run.counter("store.given_up") == 0);
    CHECK(run.tap.of(netcache::kCacheUpdate) >= kWrites / 2);
  }
}

TEST_CASE("items of several packets, of which each packet of a write has a version of its own, wrap too") {
  Setup setup = wires(1, false);
  setup.script.items.small_value_bytes = 3000;
  StarCacheRun run(setup, star_options());
  run.advance(50_us);
  for (int n = 0; n < kWrites / 4; ++n) {
    CHECK_FALSE(run.put_now(n % 2 == 0 ? kAlice : kBob, kHot).given_up);
    CHECK_FALSE(run.get_now(kBob, kHot).given_up);
  }
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.timeouts") == 0);
}

TEST_CASE("compared as they are, versions that have wrapped shut a key out from writes") {
  const auto shuts_out = [](StoreRun& run) {
    play(run);
    CHECK(run.counter("store.given_up") > kWrites / 4);
  };
  StarCacheRun star(wires(1, false), star_options(false));
  shuts_out(star);
  StoreRun net(wires(1, false), "netcache", net_options(false));
  shuts_out(net);
}

}  // namespace version_wrap_test
