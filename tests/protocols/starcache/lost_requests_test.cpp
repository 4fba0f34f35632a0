// No request is lost where no packet is: an item of several packets whose value is replaced while a request is served,
// and a key that is evicted while requests wait for it (StarCache §3.3, §3.7 to §3.9).
#include <catch2/catch.hpp>
#include <string>

#include "models/service/protocol.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace lost_requests_test {

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

void check_untroubled(StarCacheRun& run) {
  CHECK(run.counter("store.timeouts") == 0);
  CHECK(run.counter("store.torn_items") == 0);
  CHECK(run.counter("store.corrections") == 0);
  CHECK(run.counter("store.given_up") == 0);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.oracle("served").violation_count() == 0);
}

}  // namespace

TEST_CASE("a write or fetch at any instant of a read of three packets: it ends at once, with one value") {
  const bool write = GENERATE(true, false);
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("starcache")->coverage;
  sim::Coverage coverage(map);
  for (int offset = -20; offset <= 40; ++offset) {
    INFO((write ? "write " : "fetch ") << offset * 100 << " ns after the read");
    Setup setup = with_hot_key(3000);
    setup.mark(coverage);
    StarCacheRun run(setup);
    run.advance(30_us);
    run.put_now(kBob, kHot);
    run.advance(30_us + 37_ns * (offset + 20));  // elsewhere in the loop each time
    const auto read = [&] { run.get(kAlice, kHot); };
    const auto replace = [&] {
      if (write) run.put(kBob, kHot);
      if (!write)
        run.work.spawn([](CacheManager& m) -> sim::Task<void> { co_await m.fetch(kHot); }(run.star.manager()));
    };
    offset < 0 ? replace() : read();
    run.advance(100_ns * (offset < 0 ? -offset : offset));
    offset < 0 ? read() : replace();
    run.advance(100_us);
    CHECK(run.ended() == (write ? 3 : 2));
    check_untroubled(run);
  }
  CHECK(reached(coverage, kReplaced));
}

TEST_CASE("reads and writes of one item of three packets without a pause: none is lost") {
  // Writes do not overlap: between two of them the key is valid for a while, or what waits would wait on.
  StarCacheOptions options = small();
  options.service_work = 100_ns;
  StarCacheRun run(with_hot_key(3000), options);
  run.advance(30_us);
  for (int i = 0; i < 60; ++i) {
    run.get(kAlice, kHot);
    run.advance(23_ns * (i % 30));
    if (i % 2 == 1) run.put(kBob, kHot);
    run.advance(900_ns);
    run.get(kBob, kHot);
    run.advance(3_us);
  }
  run.advance(1_ms);
  CHECK(run.ended() == 150);
  check_untroubled(run);
}

TEST_CASE("requests that wait for a key that is evicted, at any instant, are answered by its server") {
  const std::uint32_t value_bytes = GENERATE(64u, 3000u);
  const sim::CoverageMap map = sim::Registry<models::ProtocolEntry>::find("starcache")->coverage;
  sim::Coverage coverage(map);
  for (int before = 0; before <= 60; ++before) {
    INFO("values of " << value_bytes << " bytes, " << before * 500 << " ns before the eviction");
    Setup setup = slowly_circulating(value_bytes);
    setup.mark(coverage);
    StarCacheRun run(setup);
    run.advance(100_us);
    for (int i = 0; i < 3; ++i) run.get(i == 1 ? kBob : kAlice, kHot);
    run.advance(500_ns * before);
    run.begin_evict(kHot);
    run.advance(100_us);
    CHECK(run.ended() == 3);
    CHECK(run.star.manager().size() == 0);
    CHECK(run.read(run.star.program().queue, 0) == std::uint64_t{1} << 32);
    // The index serves another key as if nothing had been.
    REQUIRE(run.install(kCold));
    CHECK(run.star.manager().index_of(kCold) == 0);
    const std::uint64_t served = run.served();
    for (int i = 0; i < 5; ++i) run.get(kAlice, kCold);
    run.advance(180_us);
    CHECK(run.ended() == 8);
    CHECK(run.served() <= served + 1);  // the queue has room for four
    check_untroubled(run);
  }
  CHECK(reached(coverage, kSentOn));
}

TEST_CASE("as printed, requests that wait for an evicted key are lost, or corrected when its index has a new key") {
  StarCacheOptions options = small();
  options.evicted_requests = StarCacheOptions::EvictedRequests::paper;
  const bool reused = GENERATE(false, true);
  StarCacheRun run(slowly_circulating(64), options);
  run.advance(100_us);
  for (int i = 0; i < 3; ++i) run.get(kAlice, kHot);
  run.advance(2_us);
  run.begin_evict(kHot);
  run.advance(30_us);
  if (reused) REQUIRE(run.install(kCold));
  run.advance(1_ms);
  CHECK(run.ended() == 3);
  run.finish();
  CHECK(run.violations({"served"}) == "");
  CHECK((run.oracle("served").violation_count() > 0) == !reused);
  CHECK((run.counter("store.corrections") > 0) == reused);
}

TEST_CASE("a switch that restarts while requests of an evicted key are sent on: no queue is left askew") {
  for (int after = 0; after < 30; ++after) {
    INFO(after << " us after the eviction began");
    Setup setup = slowly_circulating(64);
    setup.add_fault("switch-restart", R"({"dead_time": "20us", "from": ")" + std::to_string(2'100 + after) + "us\"}");
    StarCacheRun run(setup);
    run.advance(2'096_us);
    for (int i = 0; i < 3; ++i) run.get(kAlice, kHot);
    run.advance(4_us);
    run.begin_evict(kHot);
    run.advance(1_us * after + 20_us);
    run.advance(1_ms);
    CHECK(run.ended() == 3);
    CHECK(run.star.manager().busy() == 0);
    run.finish();
    CHECK(run.violations() == "");
  }
}

}  // namespace lost_requests_test
