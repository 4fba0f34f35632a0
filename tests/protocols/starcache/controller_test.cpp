// The controller's rounds, one by one: replacement by popularity, sizing by the overflow ratio (StarCache §3.8).
#include "protocols/starcache/controller.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "protocols/starcache/messages.hpp"
#include "tests/protocols/starcache/rig.hpp"

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

StarCacheOptions updating(Coherence coherence = Coherence::versions) {
  StarCacheOptions options = small(coherence);
  options.updates = true;
  options.cache_size = 2;
  return options;
}

Setup with_keys(std::vector<std::uint64_t> keys) {
  Setup setup;
  setup.preload = std::move(keys);
  return setup;
}

void get(StarRig& rig, std::uint64_t key, int times) {
  for (int i = 0; i < times; ++i) {
    rig.get(kAlice, key);
    rig.run(3_us);
  }
}

/// Lets the servers end their round, so that their reports reach the controller.
void let_report(StarRig& rig) {
  const auto rounds = (rig.calendar.now() - sim::Time{}) / 300_us;
  rig.run(sim::Time{} + 300_us * (rounds + 1) - rig.calendar.now());
  rig.run(20_us);
}

}  // namespace

TEST_CASE("the coldest cached keys are replaced by hotter reported ones, hottest first") {
  StarRig rig(with_keys({1, 2}), updating(GENERATE(Coherence::versions, Coherence::paper)));
  rig.run(20_us);
  get(rig, 1, 6);
  get(rig, 2, 2);
  get(rig, 10, 4);
  get(rig, 11, 3);
  get(rig, 12, 1);
  let_report(rig);
  CHECK(rig.tap.of(starcache::kReport) == 1);
  rig.round();
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{1, 10});
  CHECK(rig.star_counter("evictions") == 1);
  CHECK(rig.valid(10));
  const std::uint64_t served = rig.served();
  get(rig, 10, 3);
  CHECK(rig.served() == served);
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("reported keys that are not hotter than the coldest cached one replace nothing") {
  StarRig rig(with_keys({1, 2}), updating());
  rig.run(20_us);
  get(rig, 1, 3);
  get(rig, 2, 3);
  get(rig, 10, 3);
  let_report(rig);
  rig.round();
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{1, 2});
  CHECK(rig.star_counter("evictions") == 0);
}

TEST_CASE("room that is left is filled with the hottest reported keys, up to the target") {
  StarCacheOptions options = updating();
  options.cache_size = 3;
  StarRig rig(with_keys({1}), options);
  rig.run(20_us);
  get(rig, 1, 2);
  get(rig, 10, 1);
  get(rig, 11, 3);
  get(rig, 12, 2);
  let_report(rig);
  rig.round();
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{1, 11, 12});
}

TEST_CASE("a round sees only what was counted since the one before it") {
  StarRig rig(with_keys({1, 2}), updating());
  rig.run(20_us);
  get(rig, 1, 9);
  get(rig, 2, 9);
  rig.round();
  CHECK(rig.read(rig.star.program().hits) == 0);
  CHECK(rig.read(rig.star.program().popularity, 0) == 0);
  get(rig, 1, 1);
  get(rig, 10, 2);
  let_report(rig);
  rig.round();
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{1, 10});
}

TEST_CASE("only keys that were asked for often enough are reported, and the servers' counts begin anew each round") {
  StarCacheOptions options = updating();
  options.report_above = 2;
  StarRig rig(with_keys({1, 2}), options);
  rig.run(20_us);
  get(rig, 10, 2);
  let_report(rig);
  CHECK(rig.star_counter("reports") == 0);
  get(rig, 10, 2);
  let_report(rig);
  CHECK(rig.star_counter("reports") == 0);
  get(rig, 10, 3);
  let_report(rig);
  CHECK(rig.star_counter("reports") == 1);
}

TEST_CASE("without updates nothing is reported or replaced") {
  StarRig rig(with_keys({1, 2}), small());
  rig.run(20_us);
  get(rig, 10, 9);
  let_report(rig);
  rig.round();
  CHECK(rig.star_counter("reports") == 0);
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("below the overflow threshold the cache may grow by one key a round, up to the lookup table's rows",
          "[claim:starcache-s38-sizing-rule]") {
  StarCacheOptions options = updating();
  options.sizing = true;
  options.cache_entries = 4;
  options.top_k = 8;
  StarRig rig(with_keys({1, 2}), options);
  rig.run(20_us);
  for (std::uint64_t size = 3; size <= 6; ++size) {
    get(rig, 1, 5);
    get(rig, 2, 5);
    for (std::uint64_t key = 10; key < 16; ++key) get(rig, key, 3);
    let_report(rig);
    rig.round();
    CHECK(rig.star.controller().overflow_ratio() == 0);
    CHECK(rig.star.controller().target() == std::min<std::uint64_t>(size, 4));
    CHECK(rig.star.manager().size() == std::min<std::uint64_t>(size, 4));
  }
}

TEST_CASE("above the overflow threshold the cache shrinks by its coldest key a round, down to the minimum",
          "[claim:starcache-s38-sizing-rule]") {
  StarCacheOptions options = small(GENERATE(Coherence::versions, Coherence::paper));
  options.sizing = true;
  options.min_size = 2;
  options.cache_size = 4;
  Setup setup = with_keys({1, 2, 3, 4});
  setup.rack.network_switch.recirculation_bits_per_second = 100'000'000;
  StarRig rig(setup, options);
  rig.run(300_us);
  const std::vector<std::vector<std::uint64_t>> expected{{1, 2, 3}, {1, 2}, {1, 2}};
  for (const auto& keys : expected) {
    for (int i = 0; i < 12; ++i) rig.get(kAlice, 1);
    for (int i = 0; i < 3; ++i) rig.get(kAlice, 2);
    for (int i = 0; i < 2; ++i) rig.get(kAlice, 3);
    rig.run(1_ms);
    rig.round();
    CHECK(rig.star.controller().overflow_ratio() > options.overflow_threshold);
    CHECK(rig.star.manager().cached() == keys);
    CHECK(rig.star.controller().target() == keys.size());
  }
  rig.judge();
  CHECK(rig.violations() == "");
}

TEST_CASE("the overflow ratio is that of requests for cached keys, as counted by a reference") {
  StarCacheOptions options = small();
  options.sizing = true;
  Setup setup = with_keys({1});
  setup.rack.network_switch.recirculation_bits_per_second = 100'000'000;
  StarRig rig(setup, options);
  rig.run(100_us);
  for (int i = 0; i < 10; ++i) rig.get(kAlice, 1);
  for (int i = 0; i < 5; ++i) rig.get(kBob, 2);  // uncached
  rig.run(1_ms);
  const double overflows = static_cast<double>(rig.served() - 5);
  rig.round();
  CHECK(overflows > 0);
  CHECK(rig.star.controller().overflow_ratio() == Approx(overflows / 10));
}

TEST_CASE("a report is sent again until the controller has acknowledged it, and counts once") {
  const Op lost = GENERATE(starcache::kReport, starcache::kReportReply);
  StarRig rig(with_keys({1, 2}), updating());
  rig.run(20_us);
  get(rig, 1, 5);
  get(rig, 10, 4);
  Rig::lose(lost == starcache::kReport ? rig.rack.uplink(kServerNode) : rig.rack.downlink(kServerNode), lost, 2);
  let_report(rig);
  CHECK_FALSE(rig.protocol->quiescent());
  rig.run(250_us);
  CHECK(rig.star_counter("reports") == 3);
  CHECK(rig.protocol->quiescent());
  rig.round();
  CHECK(rig.star.manager().cached() == std::vector<std::uint64_t>{1, 10});
}

TEST_CASE("a server that crashes reports no more of what it had counted, and goes on reporting once it is back") {
  StarRig rig(with_keys({1, 2}), updating());
  rig.run(20_us);
  get(rig, 10, 4);
  Rig::lose(rig.rack.uplink(kServerNode), starcache::kReport, 1);
  let_report(rig);
  rig.rack.crash(kServerNode);
  CHECK(rig.protocol->quiescent());
  rig.run(400_us);
  rig.rack.restart(kServerNode);
  const std::uint64_t before = rig.star_counter("reports");
  get(rig, 11, 4);
  let_report(rig);
  CHECK(rig.star_counter("reports") == before + 1);
  rig.round();
  CHECK(rig.star.manager().is_cached(11));
  CHECK_FALSE(rig.star.manager().is_cached(10));
}

TEST_CASE("keys that are replaced while requests wait and writes are under way serve no wrong value") {
  const auto coherence = Coherence::versions;
  StarCacheOptions options = updating(coherence);
  options.cache_entries = 2;
  StarRig rig(with_keys({1, 2}), options);
  rig.run(20_us);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t hot = round % 2 == 0 ? 10 : 1;
    for (int i = 0; i < 6; ++i) {
      get(rig, hot, 1);
      get(rig, hot + 1, 1);
    }
    let_report(rig);
    rig.begin_round();
    for (int i = 0; i < 20; ++i) {
      rig.get(kAlice, 1 + static_cast<std::uint64_t>(i % 2));
      rig.get(kBob, 10 + static_cast<std::uint64_t>(i % 2));
      rig.put(kAlice, i % 3 == 0 ? 10 : 1);
      rig.run(2_us);
    }
    rig.run(600_us);
  }
  CHECK(rig.star_counter("evictions") >= 2);
  rig.judge();
  CHECK(rig.violations() == "");
  CHECK(rig.counter("store.given_up") == 0);
}

TEST_CASE("when the hottest and the coldest keys change places, every cached key is replaced",
          "[claim:starcache-fig19a-all-replaced]") {
  StarCacheOptions options = busy();
  options.updates = true;
  options.top_k = 8;
  Setup setup;
  setup.rack.nodes = 4;
  models::KeyValueOptions workload;
  workload.keys = 1'000;
  workload.small_share = 1;
  workload.swap_keys = 16;
  workload.swap_interval = 3_ms;
  setup.workload = workload;
  StarRig rig(setup, options);
  rig.workload->start();
  const auto rounds_until = [&](sim::Time end) {
    while (rig.calendar.now() < end) {
      let_report(rig);
      rig.begin_round();
      rig.run(200_us);
    }
    return rig.star.manager().cached();
  };
  std::vector<std::uint64_t> before = rounds_until(sim::Time{} + 2'700_us);
  CHECK(before.size() == options.cache_size);
  for (int swap = 1; swap <= 2; ++swap) {
    const auto after = rounds_until(sim::Time{} + 3_ms * swap + 2'700_us);
    CHECK(after.size() == options.cache_size);
    for (const std::uint64_t key : after) CHECK(std::count(before.begin(), before.end(), key) == 0);
    before = after;
  }
}
