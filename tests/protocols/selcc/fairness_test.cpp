// Fairness (SELCC §5.3): who gets a line that others use, how soon, and who must wait meanwhile.
//
// With `priority_unit` 1 a writer's first attempt has priority 1, its second and third 2.
#include <catch2/catch.hpp>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace fairness_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;

namespace {

/// A thread of a node that accesses a line without a pause until `stop`, and counts.
struct Hammer {
  models::Session session;
  bool write = false;
  const bool* stop = nullptr;
  std::uint64_t accesses = 0;

  sim::Task<void> run(SelccScript& r, std::uint64_t line) {
    while (!*stop) {
      if (write) {
        co_await r.memory.write(session, r.line(line));
      } else {
        co_await r.memory.read(session, r.line(line));
      }
      ++accesses;
    }
  }
};

/// Both threads of node 0 use line 0 all the time, and node 1 wants to write it. How many accesses they still make from
/// the moment at which node 0 knows of that to the end of the write.
std::uint64_t accesses_before_it_is_given(bool write, std::optional<std::uint64_t> gamma) {
  Setup setup;
  setup.selcc.gamma = gamma;
  setup.selcc.handling = {};
  SelccScript run(setup);
  bool stop = false;
  Hammer hammers[] = {{.session = {0, 0}, .write = write, .stop = &stop},
                      {.session = {0, 1}, .write = write, .stop = &stop}};
  for (Hammer& hammer : hammers) run.spawn(hammer.run(run, 0), 0);
  run.advance(50_us);
  sim::Time ended = sim::Time::max();
  run.begin({1, 0}, run.line(0), true, &ended);
  const char* told = write ? "deferred" : "answers.busy";
  while (run.counter(told) == 0) run.advance(10_ns);
  const std::uint64_t before = hammers[0].accesses + hammers[1].accesses;
  // Until node 0 gives the line up; node 1 has it later.
  const auto given = [&] { return run.counter("answers.given") + run.counter("yields"); };
  for (int i = 0; i < 100'000 && given() == 0; ++i) run.advance(10_ns);
  const std::uint64_t after = hammers[0].accesses + hammers[1].accesses;
  const bool never = given() == 0;
  stop = true;
  run.advance(2_ms);
  CHECK(ended < sim::Time::max());
  run.finish();
  CHECK(run.violations() == "");
  return never ? UINT64_MAX : after - before;
}

/// Times at which the counter grows, for so long.
std::vector<sim::Time> growth_of(SelccScript& run, const std::string& counter, sim::Duration length) {
  std::vector<sim::Time> at;
  std::uint64_t seen = run.counter(counter);
  for (const sim::Time end = run.calendar.now() + length; run.calendar.now() < end; run.advance(50_ns)) {
    if (run.counter(counter) > seen) at.push_back(run.calendar.now());
    seen = run.counter(counter);
  }
  return at;
}

}  // namespace

TEST_CASE("Local writers keep a line that is asked for until they have made gamma accesses") {
  for (const std::uint64_t gamma : {4, 20, 64}) {
    const std::uint64_t made = accesses_before_it_is_given(true, gamma);
    CHECK(made >= gamma - 1);
    CHECK(made <= gamma + 3);
  }
}

TEST_CASE("A read counts for a thread's share of an access: readers make gamma times their number") {
  for (const std::uint64_t gamma : {4, 20, 64}) {
    const std::uint64_t made = accesses_before_it_is_given(false, gamma);
    CHECK(made >= 2 * gamma - 2);
    CHECK(made <= 2 * gamma + 6);
  }
}

TEST_CASE("With gamma 0 the line is given at once, and without gamma never, as long as local threads contend") {
  CHECK(accesses_before_it_is_given(true, 0) <= 2);
  CHECK(accesses_before_it_is_given(false, 0) <= 4);
  CHECK(accesses_before_it_is_given(true, std::nullopt) == UINT64_MAX);
}

TEST_CASE("Each possession of a line begins to count anew") {
  constexpr std::uint64_t kGamma = 16;
  Setup setup;
  setup.selcc.gamma = kGamma;
  SelccScript run(setup);
  bool stop = false;
  Hammer hammers[] = {{.session = {0, 0}, .write = true, .stop = &stop},
                      {.session = {0, 1}, .write = true, .stop = &stop},
                      {.session = {1, 0}, .write = true, .stop = &stop},
                      {.session = {1, 1}, .write = true, .stop = &stop}};
  for (Hammer& hammer : hammers) run.spawn(hammer.run(run, 0), hammer.session.node);
  run.advance(2_ms);
  const std::uint64_t possessions = run.counter("answers.given") + run.counter("yields");
  CHECK(possessions > 20);
  CHECK(run.counter("accesses") >= kGamma * possessions);
  // Besides what is done before the other node's message is there: an attempt, and half a round trip.
  const auto unasked = static_cast<std::uint64_t>(setup.rack.rtt * 3 / setup.selcc.local_access);
  CHECK(run.counter("accesses") <= (kGamma + unasked) * possessions);
  stop = true;
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Of those that wait for a line the one with the highest priority gets it, not the first",
          "[claim:selcc-s53-highest-priority]") {
  Setup setup;
  setup.selcc.priority_unit = 1;
  setup.selcc.resend_factor = 40;  // so that others come between two attempts of a writer
  SelccScript run(setup);
  run.spawn(run.memory.lock({3, 0}, run.line(0), models::LockMode::shared), 3);
  run.advance(50_us);
  sim::Time low = sim::Time::max(), high = sim::Time::max();
  run.begin({2, 0}, run.line(0), true, &high);  // turned away: tries again after 40 round trips
  run.advance(20_us);
  CHECK(run.counter("answers.busy") == 1);
  run.spawn(run.memory.unlock({3, 0}, run.line(0)), 3);
  run.advance(2_us);
  run.spawn(run.memory.lock({0, 0}, run.line(0)), 0);
  run.advance(25_us);
  REQUIRE(run.state(0, 0) == FrameState::modified);
  run.begin({1, 0}, run.line(0), true, &low);
  run.advance(20_us);
  REQUIRE(run.counter("deferred") == 1);
  run.advance(200_us);
  REQUIRE(run.counter("deferred") == 2);
  run.spawn(run.memory.unlock({0, 0}, run.line(0)), 0);
  run.advance(1_ms);
  CHECK(high < low);
  CHECK(low < sim::Time::max());
  run.finish();
  CHECK(run.violations() == "");
}

// T = C × RTT / retries (§5.1.2), and not below one round trip; the attempt between takes as long each time.
TEST_CASE("Invalidations are sent again after C round trips by the number of retries, but one at least",
          "[claim:selcc-inv-retry-interval]") {
  Setup setup;
  setup.selcc.resend_factor = 12;
  SelccScript run(setup);
  run.spawn(run.memory.lock({0, 0}, run.line(0), models::LockMode::shared), 0);
  run.advance(50_us);
  run.begin({1, 0}, run.line(0), true);
  const auto sent = growth_of(run, "invalidations.case3", 500_us);
  REQUIRE(sent.size() > 16);
  const sim::Duration rtt = setup.rack.rtt, attempt = sent[15] - sent[14] - rtt;
  CHECK(attempt > sim::Duration{});
  for (int retries = 1; retries <= 14; ++retries) {
    const auto i = static_cast<std::size_t>(retries);
    const sim::Duration expected = std::max(rtt * 12 / retries, rtt) + attempt;
    CHECK((sent[i] - sent[i - 1]).ns() == Approx(expected.ns()).margin(200));
  }
}

TEST_CASE("Readers hold back from a line that a starved writer has asked for, the longer the higher its priority",
          "[claim:selcc-s53-spin-proportional]") {
  for (const bool spins : {true, false}) {
    Setup setup;
    setup.selcc.priority_unit = 1;
    setup.selcc.spin_waiting = spins;
    setup.selcc.resend_factor = 1;
    setup.selcc.spin_per_level = 40_us;
    SelccScript run(setup);
    run.read(0, 0);
    run.begin({1, 0}, run.line(0), true);  // takes the share of node 0 away, with priority 1
    while (run.counter("answers.released") == 0) run.advance(50_ns);
    const sim::Time released = run.calendar.now();
    sim::Time ended = sim::Time::max();
    run.begin({0, 0}, run.line(0), false, &ended);
    run.advance(300_us);
    CHECK(run.counter("held_back") == (spins ? 1 : 0));
    CHECK((ended - released > 40_us) == spins);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("The line of a starved writer goes only to a reader that has tried as often") {
  for (const bool matches : {true, false}) {
    Setup setup;
    setup.selcc.priority_unit = 1;
    setup.selcc.priority_matching = matches;
    setup.selcc.spin_waiting = false;
    SelccScript run(setup);
    run.spawn(run.memory.lock({0, 0}, run.line(0), models::LockMode::shared), 0);
    run.advance(50_us);
    run.begin({1, 0}, run.line(0), true);
    while (run.counter("invalidations.case3") < 4) run.advance(50_ns);
    run.spawn(run.memory.unlock({0, 0}, run.line(0)), 0);
    run.advance(200_us);
    REQUIRE(run.state(1, 0) == FrameState::modified);
    const std::uint64_t turned_away = run.counter("answers.busy");
    run.read(2, 0);
    CHECK(run.state(2, 0) == FrameState::shared);
    // Five attempts or more of the writer make level 3, which the reader has from its fourth on.
    CHECK(run.counter("answers.busy") - turned_away == (matches ? 3 : 0));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A line that is used again is evicted after one that is not") {
  Setup setup;
  setup.selcc.cache_bytes = 3 * setup.selcc.line_bytes;  // two frames to use, one to keep free
  SelccScript run(setup);
  run.read(0, 0);
  run.read(0, 1);
  run.read(0, 0);
  run.read(0, 2);
  CHECK(run.state(0, 0) == FrameState::shared);
  CHECK(run.state(0, 1) == FrameState::absent);
  CHECK(run.state(0, 2) == FrameState::shared);
}

}  // namespace fairness_test
