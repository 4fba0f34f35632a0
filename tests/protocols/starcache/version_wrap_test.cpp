// Versions of 4 bits: hundreds of writes of one key, wrapped around many times, are coherent, in StarCache and in
// NetCache; a comparison that does not know of the wrap refuses a key's writes for good (store/version.hpp).
#include <catch2/catch.hpp>

#include "protocols/netcache/messages.hpp"
#include "protocols/netcache/netcache.hpp"
#include "tests/protocols/starcache/rig.hpp"

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
void play(Rig& rig) {
  rig.run(50_us);
  for (int n = 0; n < kWrites / 2; ++n) {
    rig.put(kAlice, kHot);
    rig.run(sim::Duration::from_ps(n % 7 * 300'000));
    rig.put(kBob, kHot);
    rig.get(kAlice, kHot);
    rig.run(12_us);
    rig.get(kBob, kHot);
    rig.run(6_us);
  }
  rig.judge();
}

}  // namespace

TEST_CASE("hundreds of writes of one key wrap StarCache's versions of 4 bits and are coherent") {
  const bool lossy = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= (lossy ? 5 : 1); ++seed) {
    INFO("seed " << seed << (lossy ? ", lossy" : ""));
    StarRig rig(wires(seed, lossy), star_options());
    play(rig);
    CHECK(rig.violations() == "");
    CHECK(rig.counter("store.given_up") == 0);
    CHECK((rig.state(kHot) & 0xffff'ffff) <= 15);
    CHECK(rig.served() >= kWrites);
    CHECK(rig.tap.circulating[store::number(Op::read_reply)] > 0);
  }
}

TEST_CASE("hundreds of writes of one key wrap NetCache's versions of 4 bits and are coherent") {
  const bool lossy = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= (lossy ? 5 : 1); ++seed) {
    INFO("seed " << seed << (lossy ? ", lossy" : ""));
    Rig rig(wires(seed, lossy), net_options());
    play(rig);
    CHECK(rig.violations() == "");
    CHECK(rig.counter("store.given_up") == 0);
    CHECK(rig.tap.of(netcache::kCacheUpdate) >= kWrites / 2);
  }
}

TEST_CASE("items of several packets, of which each packet of a write has a version of its own, wrap too") {
  Setup setup = wires(1, false);
  setup.items.small_value_bytes = 3000;
  StarRig rig(setup, star_options());
  rig.run(50_us);
  for (int n = 0; n < kWrites / 4; ++n) {
    CHECK_FALSE(rig.put_now(n % 2 == 0 ? kAlice : kBob, kHot).given_up);
    CHECK_FALSE(rig.get_now(kBob, kHot).given_up);
  }
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.counter("store.timeouts") == 0);
}

TEST_CASE("compared as they are, versions that have wrapped shut a key out from writes") {
  const auto shuts_out = [](Rig& rig) {
    play(rig);
    CHECK(rig.counter("store.given_up") > kWrites / 4);
  };
  Rig star(wires(1, false), star_options(false));
  shuts_out(star);
  Rig net(wires(1, false), net_options(false));
  shuts_out(net);
}
