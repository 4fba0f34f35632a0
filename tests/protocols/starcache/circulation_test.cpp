// What goes round through the switch, how much of it and how fast (StarCache §2.2, §3.5, §3.6, Figure 13(a)).
#include <catch2/catch.hpp>

#include "protocols/starcache/messages.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/starcache_run.hpp"

namespace circulation_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

StarCacheOptions either() {
  return small(GENERATE(Coherence::versions, Coherence::paper));
}

/// Passes that came in by the recirculation port while `during` ran.
template <class During>
std::uint64_t rounds(StarCacheRun& run, During&& during) {
  const auto all = [&] {
    std::uint64_t sum = 0;
    for (const std::uint64_t passes : run.tap.circulating) sum += passes;
    return sum;
  };
  const std::uint64_t before = all();
  during();
  return all() - before;
}

/// How long the only cache packet takes for a round.
sim::Duration round_time(std::uint32_t key_bytes, std::uint32_t value_bytes) {
  Setup setup = with_hot_key(value_bytes);
  setup.script.items.key_bytes = key_bytes;
  StarCacheRun run(setup);
  run.advance(50_us);
  REQUIRE(run.circulating() == 1);
  const std::uint64_t passes = rounds(run, [&] { run.advance(1_ms); });
  return sim::Duration::from_ps(1'000'000'000 / static_cast<std::int64_t>(passes));
}

}  // namespace

TEST_CASE("no request ever takes the recirculation port, cache packets alone do",
          "[claim:starcache-s22-no-request-recirc]") {
  StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
  options.hash_bits = 3;  // keys collide, so that there are correction requests too
  Setup setup = contended(1);
  StarCacheRun run(setup, options);
  run.finish();
  for (const Op op : {Op::read_request, Op::write_request, Op::correction_request, switch_cache::kFetchRequest}) {
    CHECK(run.tap.circulating[number(op)] == 0);
    CHECK(run.tap.of(op) > 0);
  }
  for (const Op op : {Op::write_refused, switch_cache::kEviction, switch_cache::kEvictionReply, starcache::kReport,
                      starcache::kReportReply}) {
    CHECK(run.tap.circulating[number(op)] == 0);
  }
  CHECK(run.tap.circulating[number(Op::read_reply)] > 0);
}

TEST_CASE("as many packets circulate as the cached items have, at any rate of requests",
          "[claim:starcache-s22-inflight-bounded]") {
  const std::uint32_t value_bytes = GENERATE(64u, 3000u);
  Setup setup = with_hot_key(value_bytes);
  setup.script.hottest = {kHot, kCold, 1, 2};
  StarCacheRun run(setup, either());
  run.advance(60_us);
  const std::uint64_t packets = 4 * (value_bytes == 64 ? 1 : 3);
  for (const int reads_a_microsecond : {0, 1, 4}) {
    for (int i = 0; i < 100; ++i) {
      for (int read = 0; read < reads_a_microsecond; ++read) {
        run.get(read % 2 == 0 ? kAlice : kBob, read % 3 == 0 ? kCold : kHot);
      }
      run.advance(1_us);
      REQUIRE(run.circulating() == packets);
    }
  }
  run.advance(1_ms);
  CHECK(run.ended() == 500);
  CHECK(run.circulating() == packets);
  CHECK(run.star_counter("fetches") == 4);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a round of a cache packet takes a few hundred nanoseconds, the longer its key the more",
          "[claim:starcache-s22-loop-latency][claim:starcache-fig13a-loop-latency]") {
  sim::Duration shorter{};
  for (const std::uint32_t key_bytes : {16u, 32u, 64u, 128u, 256u}) {
    INFO("keys of " << key_bytes << " bytes");
    const sim::Duration round = round_time(key_bytes, 1024);
    CHECK(round >= 100_ns);
    CHECK(round <= 999_ns);
    CHECK(round > shorter);
    shorter = round;
  }
}

TEST_CASE("a cache packet that serves a request in every round goes round as often as one that serves nobody",
          "[claim:starcache-s35-clone-cheap]") {
  StarCacheRun run(with_hot_key(1024), either());
  run.advance(50_us);
  const std::uint64_t idle = rounds(run, [&] { run.advance(200_us); });
  const std::uint64_t serving = rounds(run, [&] {
    for (int i = 0; i < 400; ++i) {
      run.get(i % 2 == 0 ? kAlice : kBob, kHot);
      run.advance(500_ns);
    }
  });
  CHECK(run.ended() > 200);
  CHECK(idle > 200);
  // A copy leaves a cycle of the switch's clock after the one before, of the more than 500 cycles of a round.
  CHECK(static_cast<double>(serving) >= 0.99 * static_cast<double>(idle));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("with whole hashes and an unchanging cache no request needs a correction",
          "[claim:starcache-s36-collisions-rare]") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    StarCacheOptions options = busy(GENERATE(Coherence::versions, Coherence::paper));
    options.round = 1'000_ms;
    Setup setup = contended(seed);
    setup.workload->small_share = 1;
    StarCacheRun run(setup, options);
    run.finish();
    CHECK(run.star_counter("fetches") > 0);
    CHECK(run.counter("store.corrections") == 0);
  }
}

}  // namespace circulation_test
