// What the printed coherence (StarCache §3.7), one validity bit without versions, lets through on a rack: each script
// serves a stale value, which the data-value oracle notices, and is clean with versions and ordered writes.
#include <catch2/catch.hpp>
#include <functional>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace paper_coherence_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

struct Outcome {
  bool stale = false;
  std::string others;  // violations of other oracles
};

using Script = std::function<void(StarCacheRun&)>;

Outcome play(Coherence coherence, const Setup& setup, StarCacheOptions options, const Script& script) {
  options.coherence = coherence;
  StarCacheRun run(setup, options);
  run.advance(50_us);
  script(run);
  // Readers take turns with whatever circulates.
  for (int i = 0; i < 12; ++i) {
    run.get(i % 2 == 0 ? kAlice : kBob, kHot);
    run.advance(3'700_ns);
  }
  run.advance(500_us);
  run.finish();
  const bool stale = run.oracle("data-value").violation_count() > 0;
  return {stale, stale ? "" : run.violations()};
}

void check_repaired(const Setup& setup, const StarCacheOptions& options, const Script& script) {
  CHECK(play(Coherence::paper, setup, options, script).stale);
  const Outcome repaired = play(Coherence::versions, setup, options, script);
  CHECK_FALSE(repaired.stale);
  CHECK(repaired.others == "");
}

StarCacheOptions slow_server() {
  StarCacheOptions options = small();
  options.service_work = 10_us;
  return options;
}

}  // namespace

TEST_CASE("(a) two writes that overlap: the first reply validates and its value goes on circulating after the second") {
  check_repaired(with_hot_key(), slow_server(), [](StarCacheRun& run) {
    run.put(kAlice, kHot);
    run.advance(1_us);
    run.put(kBob, kHot);
    run.advance(100_us);
    REQUIRE(run.ended() == 2);
  });
}

TEST_CASE("(b) a fetch reply during a pending write validates the value from before the write") {
  Setup setup = with_hot_key();
  setup.script.hottest = {};
  check_repaired(setup, slow_server(), [](StarCacheRun& run) {
    run.put_now(kAlice, kHot);
    run.begin_install(kHot);
    // The row is made by several operations of the control CPU; the write follows the F-REQ through the switch.
    while (run.tap.of(switch_cache::kFetchRequest) == 0) run.advance(100_ns);
    run.put(kBob, kHot);
    run.advance(100_us);
    REQUIRE(run.ended() == 2);
  });
}

TEST_CASE("(c) a key installed between a write request and its execution: the fetch brings the value from before") {
  Setup setup = with_hot_key();
  setup.script.hottest = {};
  // Whether the server executes the write right behind the fetch is a matter of its instant.
  bool stale = false;
  for (int late = 10; late <= 400 && !stale; late += 5) {
    const Script script = [late](StarCacheRun& run) {
      run.put_now(kAlice, kHot);
      // The write passes the switch while the key is not cached, and is held up until the key has been fetched.
      const sim::Time now = run.calendar.now();
      StoreRun::hold_back(run.rack.downlink(kServerNode), sim::Duration::from_ps(1'000'000) * late, now, now + 3_us);
      run.put(kBob, kHot);
      run.advance(3_us);
      run.begin_install(kHot);
      run.advance(700_us);
      REQUIRE(run.ended() == 2);
    };
    stale = play(Coherence::paper, setup, slow_server(), script).stale;
    const Outcome repaired = play(Coherence::versions, setup, slow_server(), script);
    CHECK_FALSE(repaired.stale);
    CHECK(repaired.others == "");
  }
  CHECK(stale);
}

TEST_CASE("(d) a key that is invalid for less than a loop: the old packet has not come round and circulates on") {
  Setup setup = with_hot_key(1000);
  setup.rack.network_switch.recirculation_bits_per_second = 500'000'000;  // a loop of 17 us
  StarCacheOptions options = small();
  options.service_work = 100_ns;
  // Whether a write falls between two passes is a matter of its instant.
  bool stale = false;
  for (int offset = 0; offset < 17 && !stale; offset += 4) {
    const Script script = [offset](StarCacheRun& run) {
      run.advance(sim::Duration::from_ps(1'000'000) * offset);
      run.put(kBob, kHot);
      run.advance(30_us);
    };
    stale = play(Coherence::paper, setup, options, script).stale;
    const Outcome repaired = play(Coherence::versions, setup, options, script);
    CHECK_FALSE(repaired.stale);
    CHECK(repaired.others == "");
  }
  CHECK(stale);
}

TEST_CASE("(e) writes that reach the server in the other order: the value that circulates is not the server's last") {
  check_repaired(with_hot_key(), small(), [](StarCacheRun& run) {
    run.have_write_overtaken();
    run.advance(700_us);
    REQUIRE(run.ended() == 2);
  });
}

// (f) is no hole of the printed protocol: the packet of the index's new key answers what waits for the old one, its
// clients see that the key is wrong and correct (§3.6). The check of keys is what the value hangs by, not the validity.
TEST_CASE("(f) an index that is reused while requests queue on it: clients correct, in either coherence",
          "[claim:starcache-s36-collisions-rare]") {
  StarCacheOptions options = small(GENERATE(Coherence::versions, Coherence::paper));
  options.evicted_requests = StarCacheOptions::EvictedRequests::paper;
  options.cache_entries = 1;
  options.cache_size = 1;
  for (const bool check : {true, false}) {
    options.collision_check = check;
    StarCacheRun run(with_hot_key(), options);
    run.advance(50_us);
    const Ended put = run.put_now(kAlice, kHot);
    run.advance(20_us);
    run.lose_cache_packet(kHot);
    run.get(kAlice, kHot);
    run.get(kBob, kHot);
    run.advance(5_us);
    REQUIRE(run.waiting(kHot) == 2);
    run.begin_evict(kHot);
    run.advance(20_us);
    REQUIRE_FALSE(run.star.manager().is_cached(kHot));
    run.begin_install(kCold);
    run.advance(60_us);
    REQUIRE(run.ended() == 3);
    run.finish();
    if (check) {
      CHECK(run.log.ended[1].value == put.value);
      CHECK(run.log.ended[2].value == put.value);
      CHECK(run.counter("store.corrections") == 2);
      CHECK(run.counter("store.timeouts") == 0);
      CHECK(run.violations() == "");
    } else {
      CHECK(run.oracle("returned-key").violation_count() == 2);
    }
  }
}

}  // namespace paper_coherence_test
