// No request is lost where no packet is: an item of several packets whose value is replaced while a request is served,
// and a key that is evicted while requests wait for it (StarCache §3.3, §3.7 to §3.9).
#include <catch2/catch.hpp>

#include "tests/protocols/starcache/rig.hpp"

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

constexpr const char* kReplaced =
    "switch: a write or fetch invalidates an item of which a request has got some packets";
constexpr const char* kSentOn = "controller: requests wait for a key that is evicted, and are sent on to its server";

bool reached(const sim::Coverage& coverage, const char* name) {
  for (std::size_t point = 0; point < coverage.map().points(); ++point) {
    if (coverage.map().name_of(point) == name) return coverage.reached(point);
  }
  FAIL("no such point");
  return false;
}

/// A loop of the recirculation port takes so long that several requests wait for it.
Setup slowly_circulating(std::uint32_t value_bytes) {
  Setup setup = with_hot_key(value_bytes);
  setup.rack.network_switch.recirculation_bits_per_second = value_bytes > 1000 ? 3'000'000'000 : 100'000'000;
  return setup;
}

void check_untroubled(StarRig& rig) {
  CHECK(rig.counter("store.timeouts") == 0);
  CHECK(rig.counter("store.torn_items") == 0);
  CHECK(rig.counter("store.corrections") == 0);
  CHECK(rig.counter("store.given_up") == 0);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.Rig::served.violation_count() == 0);
}

}  // namespace

TEST_CASE("a write or fetch at any instant of a read of three packets: it ends at once, with one value") {
  const bool write = GENERATE(true, false);
  const sim::CoverageMap map = starcache::coverage_map();
  sim::Coverage coverage(map);
  for (int offset = -20; offset <= 40; ++offset) {
    INFO((write ? "write " : "fetch ") << offset * 100 << " ns after the read");
    Setup setup = with_hot_key(3000);
    setup.coverage = &coverage;
    StarRig rig(setup);
    rig.run(30_us);
    rig.put_now(kBob, kHot);
    rig.run(30_us + 37_ns * (offset + 20));  // elsewhere in the loop each time
    const auto read = [&] { rig.get(kAlice, kHot); };
    const auto replace = [&] {
      if (write) rig.put(kBob, kHot);
      if (!write)
        rig.work.spawn([](CacheManager& m) -> sim::Task<void> { co_await m.fetch(kHot); }(rig.star.manager()));
    };
    offset < 0 ? replace() : read();
    rig.run(100_ns * (offset < 0 ? -offset : offset));
    offset < 0 ? read() : replace();
    rig.run(100_us);
    CHECK(rig.ended() == (write ? 3 : 2));
    check_untroubled(rig);
  }
  CHECK(reached(coverage, kReplaced));
}

TEST_CASE("reads and writes of one item of three packets without a pause: none is lost") {
  // Writes do not overlap: between two of them the key is valid for a while, or what waits would wait on.
  StarCacheOptions options = small();
  options.service_work = 100_ns;
  StarRig rig(with_hot_key(3000), options);
  rig.run(30_us);
  for (int i = 0; i < 60; ++i) {
    rig.get(kAlice, kHot);
    rig.run(23_ns * (i % 30));
    if (i % 2 == 1) rig.put(kBob, kHot);
    rig.run(900_ns);
    rig.get(kBob, kHot);
    rig.run(3_us);
  }
  rig.run(1_ms);
  CHECK(rig.ended() == 150);
  check_untroubled(rig);
}

TEST_CASE("requests that wait for a key that is evicted, at any instant, are answered by its server") {
  const std::uint32_t value_bytes = GENERATE(64u, 3000u);
  const sim::CoverageMap map = starcache::coverage_map();
  sim::Coverage coverage(map);
  for (int before = 0; before <= 60; ++before) {
    INFO("values of " << value_bytes << " bytes, " << before * 500 << " ns before the eviction");
    Setup setup = slowly_circulating(value_bytes);
    setup.coverage = &coverage;
    StarRig rig(setup);
    rig.run(100_us);
    for (int i = 0; i < 3; ++i) rig.get(i == 1 ? kBob : kAlice, kHot);
    rig.run(500_ns * before);
    rig.begin_evict(kHot);
    rig.run(100_us);
    CHECK(rig.ended() == 3);
    CHECK(rig.star.manager().size() == 0);
    CHECK(rig.read(rig.star.program().queue, 0) == std::uint64_t{1} << 32);
    // The index serves another key as if nothing had been.
    REQUIRE(rig.install(kCold));
    CHECK(rig.star.manager().index_of(kCold) == 0);
    const std::uint64_t served = rig.served();
    for (int i = 0; i < 5; ++i) rig.get(kAlice, kCold);
    rig.run(180_us);
    CHECK(rig.ended() == 8);
    CHECK(rig.served() <= served + 1);  // the queue has room for four
    check_untroubled(rig);
  }
  CHECK(reached(coverage, kSentOn));
}

TEST_CASE("as printed, requests that wait for an evicted key are lost, or corrected when its index has a new key") {
  StarCacheOptions options = small();
  options.evicted_requests = StarCacheOptions::EvictedRequests::paper;
  const bool reused = GENERATE(false, true);
  StarRig rig(slowly_circulating(64), options);
  rig.run(100_us);
  for (int i = 0; i < 3; ++i) rig.get(kAlice, kHot);
  rig.run(2_us);
  rig.begin_evict(kHot);
  rig.run(30_us);
  if (reused) REQUIRE(rig.install(kCold));
  rig.run(1_ms);
  CHECK(rig.ended() == 3);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK((rig.Rig::served.violation_count() > 0) == !reused);
  CHECK((rig.counter("store.corrections") > 0) == reused);
}

TEST_CASE("a switch that restarts while requests of an evicted key are sent on: no queue is left askew") {
  for (int after = 0; after < 30; ++after) {
    INFO(after << " us after the eviction began");
    StarRig rig(slowly_circulating(64));
    rig.run(100_us);
    const sim::Time lost = rig.calendar.now() + 2_ms + sim::Duration::from_ps(1'000'000) * after;
    rig.rack.chassis().announce_power_loss(lost);
    rig.run(2_ms - 4_us);
    for (int i = 0; i < 3; ++i) rig.get(kAlice, kHot);
    rig.run(4_us);
    rig.begin_evict(kHot);
    rig.run(lost - rig.calendar.now());
    rig.rack.chassis().power_off();
    rig.run(20_us);
    rig.rack.restart_switch(lost);
    rig.run(1_ms);
    CHECK(rig.ended() == 3);
    CHECK(rig.star.manager().busy() == 0);
    rig.judge();
    CHECK(rig.violations() == "");
  }
}
