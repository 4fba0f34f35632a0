// The controller's rounds, one by one: replacement by popularity, sizing by the overflow ratio (StarCache §3.8).
#include "protocols/starcache/controller.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "protocols/starcache/messages.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace controller_test {

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

Setup with_keys(std::vector<sim::Key> keys) {
  Setup setup;
  setup.script.hottest = std::move(keys);
  return setup;
}

void get(StarCacheRun& run, std::uint64_t key, int times) {
  for (int i = 0; i < times; ++i) {
    run.get(kAlice, key);
    run.advance(3_us);
  }
}

/// Lets the servers end their round, so that their reports reach the controller.
void let_report(StarCacheRun& run) {
  const auto rounds = (run.calendar.now() - sim::Time{}) / 300_us;
  run.advance(sim::Time{} + 300_us * (rounds + 1) - run.calendar.now());
  run.advance(20_us);
}

}  // namespace

TEST_CASE("the coldest cached keys are replaced by hotter reported ones, hottest first") {
  StarCacheRun run(with_keys({1, 2}), updating(GENERATE(Coherence::versions, Coherence::paper)));
  run.advance(20_us);
  get(run, 1, 6);
  get(run, 2, 2);
  get(run, 10, 4);
  get(run, 11, 3);
  get(run, 12, 1);
  let_report(run);
  CHECK(run.tap.of(starcache::kReport) == 1);
  run.round();
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{1, 10});
  CHECK(run.star_counter("evictions") == 1);
  CHECK(run.valid(10));
  const std::uint64_t served = run.served();
  get(run, 10, 3);
  CHECK(run.served() == served);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("reported keys that are not hotter than the coldest cached one replace nothing") {
  StarCacheRun run(with_keys({1, 2}), updating());
  run.advance(20_us);
  get(run, 1, 3);
  get(run, 2, 3);
  get(run, 10, 3);
  let_report(run);
  run.round();
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{1, 2});
  CHECK(run.star_counter("evictions") == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("room that is left is filled with the hottest reported keys, up to the target") {
  StarCacheOptions options = updating();
  options.cache_size = 3;
  StarCacheRun run(with_keys({1}), options);
  run.advance(20_us);
  get(run, 1, 2);
  get(run, 10, 1);
  get(run, 11, 3);
  get(run, 12, 2);
  let_report(run);
  run.round();
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{1, 11, 12});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a round sees only what was counted since the one before it") {
  StarCacheRun run(with_keys({1, 2}), updating());
  run.advance(20_us);
  get(run, 1, 9);
  get(run, 2, 9);
  run.round();
  CHECK(run.read(run.star.program().hits) == 0);
  CHECK(run.read(run.star.program().popularity, 0) == 0);
  get(run, 1, 1);
  get(run, 10, 2);
  let_report(run);
  run.round();
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{1, 10});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("only keys that were asked for often enough are reported, and the servers' counts begin anew each round") {
  StarCacheOptions options = updating();
  options.report_above = 2;
  StarCacheRun run(with_keys({1, 2}), options);
  run.advance(20_us);
  get(run, 10, 2);
  let_report(run);
  CHECK(run.star_counter("reports") == 0);
  get(run, 10, 2);
  let_report(run);
  CHECK(run.star_counter("reports") == 0);
  get(run, 10, 3);
  let_report(run);
  CHECK(run.star_counter("reports") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("without updates nothing is reported or replaced") {
  StarCacheRun run(with_keys({1, 2}), small());
  run.advance(20_us);
  get(run, 10, 9);
  let_report(run);
  run.round();
  CHECK(run.star_counter("reports") == 0);
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{1, 2});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("below the overflow threshold the cache may grow by one key a round, up to the lookup table's rows",
          "[claim:starcache-s38-sizing-rule]") {
  StarCacheOptions options = updating();
  options.sizing = true;
  options.cache_entries = 4;
  options.top_k = 8;
  StarCacheRun run(with_keys({1, 2}), options);
  run.advance(20_us);
  for (std::uint64_t size = 3; size <= 6; ++size) {
    get(run, 1, 5);
    get(run, 2, 5);
    for (std::uint64_t key = 10; key < 16; ++key) get(run, key, 3);
    let_report(run);
    run.round();
    CHECK(run.star.controller().overflow_ratio() == 0);
    CHECK(run.star.controller().target() == std::min<std::uint64_t>(size, 4));
    CHECK(run.star.manager().size() == std::min<std::uint64_t>(size, 4));
  }
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("above the overflow threshold the cache shrinks by its coldest key a round, down to the minimum",
          "[claim:starcache-s38-sizing-rule]") {
  StarCacheOptions options = small(GENERATE(Coherence::versions, Coherence::paper));
  options.sizing = true;
  options.min_size = 2;
  options.cache_size = 4;
  Setup setup = with_keys({1, 2, 3, 4});
  setup.rack.network_switch.recirculation_bits_per_second = 100'000'000;
  setup.plan.expect_timeouts = true;  // packets go round more slowly than requests come
  StarCacheRun run(setup, options);
  run.advance(300_us);
  const std::vector<std::vector<sim::Key>> expected{{1, 2, 3}, {1, 2}, {1, 2}};
  for (const auto& keys : expected) {
    for (int i = 0; i < 12; ++i) run.get(kAlice, 1);
    for (int i = 0; i < 3; ++i) run.get(kAlice, 2);
    for (int i = 0; i < 2; ++i) run.get(kAlice, 3);
    run.advance(1_ms);
    run.round();
    CHECK(run.star.controller().overflow_ratio() > options.overflow_threshold);
    CHECK(run.star.manager().cached() == keys);
    CHECK(run.star.controller().target() == keys.size());
  }
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the overflow ratio is that of requests for cached keys, as counted by a reference") {
  StarCacheOptions options = small();
  options.sizing = true;
  Setup setup = with_keys({1});
  setup.rack.network_switch.recirculation_bits_per_second = 100'000'000;
  StarCacheRun run(setup, options);
  run.advance(100_us);
  for (int i = 0; i < 10; ++i) run.get(kAlice, 1);
  for (int i = 0; i < 5; ++i) run.get(kBob, 2);  // uncached
  run.advance(1_ms);
  const double overflows = static_cast<double>(run.served() - 5);
  run.round();
  CHECK(overflows > 0);
  CHECK(run.star.controller().overflow_ratio() == Approx(overflows / 10));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a report is sent again until the controller has acknowledged it, and counts once") {
  const Op lost = GENERATE(starcache::kReport, starcache::kReportReply);
  StarCacheRun run(with_keys({1, 2}), updating());
  run.advance(20_us);
  get(run, 1, 5);
  get(run, 10, 4);
  StoreRun::lose(lost == starcache::kReport ? run.rack.uplink(kServerNode) : run.rack.downlink(kServerNode), lost, 2);
  let_report(run);
  CHECK_FALSE(run.star.quiescent());
  run.advance(250_us);
  CHECK(run.star_counter("reports") == 3);
  CHECK(run.star.quiescent());
  run.round();
  CHECK(run.star.manager().cached() == std::vector<sim::Key>{1, 10});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a server that crashes reports no more of what it had counted, and goes on reporting once it is back") {
  StarCacheRun run(with_keys({1, 2}), updating());
  run.advance(20_us);
  get(run, 10, 4);
  StoreRun::lose(run.rack.uplink(kServerNode), starcache::kReport, 1);
  let_report(run);
  run.rack.crash(kServerNode);
  CHECK(run.star.quiescent());
  run.advance(400_us);
  run.rack.restart(kServerNode);
  const std::uint64_t before = run.star_counter("reports");
  get(run, 11, 4);
  let_report(run);
  CHECK(run.star_counter("reports") == before + 1);
  run.round();
  CHECK(run.star.manager().is_cached(11));
  CHECK_FALSE(run.star.manager().is_cached(10));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("keys that are replaced while requests wait and writes are under way serve no wrong value") {
  const auto coherence = Coherence::versions;
  StarCacheOptions options = updating(coherence);
  options.cache_entries = 2;
  StarCacheRun run(with_keys({1, 2}), options);
  run.advance(20_us);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t hot = round % 2 == 0 ? 10 : 1;
    for (int i = 0; i < 6; ++i) {
      get(run, hot, 1);
      get(run, hot + 1, 1);
    }
    let_report(run);
    run.begin_round();
    for (int i = 0; i < 20; ++i) {
      run.get(kAlice, 1 + static_cast<std::uint64_t>(i % 2));
      run.get(kBob, 10 + static_cast<std::uint64_t>(i % 2));
      run.put(kAlice, i % 3 == 0 ? 10 : 1);
      run.advance(2_us);
    }
    run.advance(600_us);
  }
  CHECK(run.star_counter("evictions") >= 2);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("store.given_up") == 0);
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
  setup.plan.measure = {1_s, std::nullopt};  // longer than the test looks at it
  StarCacheRun run(setup, options);
  const auto rounds_until = [&](sim::Time end) {
    while (run.calendar.now() < end) {
      let_report(run);
      run.begin_round();
      run.advance(200_us);
    }
    return run.star.manager().cached();
  };
  std::vector<sim::Key> before = rounds_until(sim::Time{} + 2'700_us);
  CHECK(before.size() == options.cache_size);
  for (int swap = 1; swap <= 2; ++swap) {
    const auto after = rounds_until(sim::Time{} + 3_ms * swap + 2'700_us);
    CHECK(after.size() == options.cache_size);
    for (const sim::Key key : after) CHECK(std::count(before.begin(), before.end(), key) == 0);
    before = after;
  }
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace controller_test
