// The oracle of bounded waiting: overtakings and steps by hand, and against a slow reference that knows all intervals.
#include "sim/oracles/bounded_waiting_oracle.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/sim/oracles/stories.hpp"

namespace bounded_waiting_oracle_test {

using namespace racksim::sim;
using Catch::Contains;

namespace {

constexpr WaitingBounds kEndless{};

struct Judged {
  std::vector<Violation> violations;
  std::uint64_t most;
  Duration longest;
};

Judged judged(const Story& story, const WaitingBounds& bounds, Waiting of = Waiting::accesses) {
  NamedEventLog event_log;
  BoundedWaitingOracle oracle(event_log, bounds, of);
  tell(story, event_log, oracle);
  return {oracle.violations(), oracle.most_overtakings(), oracle.longest_step()};
}

/// Session 0 reads and waits; session 1 writes so often meanwhile.
Story overtaken(std::uint64_t times) {
  Teller story;
  story.read(0, 6, 0, {1, 10 * times + 20});
  for (std::uint64_t i = 1; i <= times; ++i) story.write(1, 6, i, {10 * i, 10 * i + 5}, 10 * i + 5);
  return story;
}

WaitingBounds at_most(std::uint64_t overtakings) {
  return {.overtakings = overtakings};
}

}  // namespace

TEST_CASE("who is overtaken once more than allowed is reported once") {
  CHECK(judged(overtaken(3), at_most(3)).violations.empty());
  const auto found = judged(overtaken(5), at_most(3)).violations;
  REQUIRE(found.size() == 1);
  CHECK(found[0].oracle == "bounded-waiting");
  CHECK(found[0].at == Time() + 45_ns);
  CHECK(found[0].what ==
        "read session0 #1 on key 0x6, waiting since 1.000 ns, was overtaken 4 times by what session1 began later, 3 "
        "allowed; last by session1 #5 at 45.000 ns");
  CHECK(found[0].about.key == Key{6u});
  CHECK(found[0].about.operations == std::vector<OperationId>{1, 5});
  CHECK(judged(overtaken(5), at_most(3)).most == 5);
}

TEST_CASE("only what conflicts, waits itself and came later by the headway overtakes") {
  // Reads do not exclude each other, nor do other keys, nor a lock and an access.
  CHECK(judged(Teller().read(0, 6, 0, {1, 9}).read(1, 6, 0, {2, 5}), kEndless).most == 0);
  CHECK(judged(Teller().write(0, 6, 1, {1, 9}, 9).read(1, 6, 0, {2, 5}), kEndless).most == 1);
  CHECK(judged(Teller().write(0, 6, 1, {1, 9}, 9).write(1, 7, 2, {2, 5}, 5), kEndless).most == 0);
  CHECK(judged(Teller().write(0, Teller::kLock, 1, {1, 9}, 9).lock(1, {2, 5}), kEndless).most == 0);
  CHECK(judged(Teller().lock(0, {1, 9}).lock(1, {2, 5}), kEndless, Waiting::locks).most == 1);
  const Story shared = Teller().lock(0, {1, 9}, OperationKind::lock_shared).lock(1, {2, 5}, OperationKind::lock_shared);
  CHECK(judged(shared, kEndless, Waiting::locks).most == 0);
  // Keys of one unit.
  WaitingBounds lines = kEndless;
  lines.unit_bits = 2;
  CHECK(judged(Teller().write(0, 4, 1, {1, 9}, 9).write(1, 7, 2, {2, 5}, 5), lines).most == 1);
  CHECK(judged(Teller().write(0, 4, 1, {1, 9}, 9).write(1, 8, 2, {2, 5}, 5), lines).most == 0);
  // Locks name the unit, not a key of it.
  CHECK(judged(Teller().lock(0, {1, 9}).lock(1, {2, 5}), lines, Waiting::locks).most == 1);
  // A hit overtakes nobody.
  WaitingBounds slow = kEndless;
  slow.waits_from = 4_ns;
  CHECK(judged(Teller().write(0, 6, 1, {1, 9}, 9).write(1, 6, 2, {2, 5}, 5), slow).most == 0);
  CHECK(judged(Teller().write(0, 6, 1, {1, 9}, 9).write(1, 6, 2, {2, 6}, 6), slow).most == 1);
  // Who comes at nearly the same time.
  WaitingBounds headway = kEndless;
  headway.headway = 3_ns;
  CHECK(judged(Teller().write(0, 6, 1, {1, 9}, 9).write(1, 6, 2, {4, 8}, 8), headway).most == 0);
  CHECK(judged(Teller().write(0, 6, 1, {1, 9}, 9).write(1, 6, 2, {5, 8}, 8), headway).most == 1);
  // Who gives up neither overtakes nor waits any more.
  CHECK(
      judged(Teller().write(0, 6, 1, {1, Teller::kNever}, 9).give_up(1, 3).write(1, 6, 2, {2, 5}, 5), kEndless).most ==
      0);
}

TEST_CASE("where writes return early neither they nor what drains them wait for others, and a write overtakes nobody") {
  const auto most = [](const Story& story, bool early) {
    WaitingBounds bounds = kEndless;
    bounds.writes_return_early = early;
    return judged(story, bounds).most;
  };
  const Story overtaken_by_a_write = Teller().read(0, 6, 0, {1, 9}).write(1, 6, 1, {2, 5}, 5);
  CHECK(most(overtaken_by_a_write, false) == 1);
  CHECK(most(overtaken_by_a_write, true) == 0);
  const Story waiting_write = Teller().write(0, 6, 1, {1, 9}, 9).read(1, 6, 0, {2, 5});
  CHECK(most(waiting_write, false) == 1);
  CHECK(most(waiting_write, true) == 0);
  const Story waiting_atomic = Teller().add(0, 6, 1, 0, {1, 9}, 9).read(1, 6, 0, {2, 5});
  CHECK(most(waiting_atomic, false) == 1);
  CHECK(most(waiting_atomic, true) == 0);
  const Story overtaken_by_an_atomic = Teller().read(0, 6, 0, {1, 9}).add(1, 6, 1, 0, {2, 5}, 5);
  CHECK(most(overtaken_by_an_atomic, false) == 1);
  CHECK(most(overtaken_by_an_atomic, true) == 1);
}

TEST_CASE("nobody waits for longer than a step while nothing ends on its unit") {
  WaitingBounds bounds = kEndless;
  bounds.step = 10_ns;
  CHECK(judged(Teller().write(0, 6, 1, {1, 11}, 11), bounds).violations.empty());
  const auto found = judged(Teller().write(0, 6, 1, {1, 12}, 12), bounds).violations;
  REQUIRE(found.size() == 1);
  CHECK(found[0].what ==
        "write session0 #1 on key 0x6, waiting since 1.000 ns, waited for 11.000 ns while nothing ended there, "
        "10.000 ns allowed");
  // Each end begins a step anew, as does the unlock of what an application has held; a lock that is held does not.
  CHECK(judged(Teller().write(0, 6, 1, {1, 21}, 21).read(1, 6, 0, {2, 11}), bounds).longest == 10_ns);
  CHECK(judged(Teller().lock(0, {1, 3}).lock(1, {4, 59}).unlock(0, {50, 55}), bounds, Waiting::locks).longest == 4_ns);
  CHECK(judged(Teller().lock(0, {1, 3}).write(1, Teller::kLock, 1, {4, 59}, 59).unlock(0, {50, 55}), bounds).longest ==
        4_ns);
  CHECK(judged(Teller().write(0, 6, 1, {1, 3}, 3).write(1, 6, 2, {20, 22}, 22), bounds).longest == 2_ns);
}

TEST_CASE("a step may be longer by the work of all that was under way before") {
  WaitingBounds bounds = kEndless;
  bounds.step = 10_ns;
  bounds.work = 5_ns;
  const auto behind = [&](std::uint64_t until) {
    return judged(Teller().write(1, 7, 1, {1, 90}, 90).write(2, 8, 2, {2, 91}, 91).write(0, 6, 3, {3, until}, until),
                  bounds)
        .violations;
  };
  CHECK(behind(23).size() == 2);  // those that were under way themselves
  CHECK(behind(24).size() == 3);
}

TEST_CASE("a step does not run while one that holds a lock does nothing, wherever that is") {
  const auto longest = [](const Story& story) { return judged(story, kEndless).longest; };
  // Session 0 has the lock of another unit from 3 to 40, and does nothing from 3 to 20 and from 25 to 40.
  const Story beside = Teller().lock(0, {1, 3}).write(1, 6, 1, {2, 50}, 50).read(0, 7, 0, {20, 25}).unlock(0, {40, 45});
  CHECK(longest(beside) == Duration::from_ps(1000 * (48 - 17 - 15)));
  // Two that do nothing at a time are as one; who was refused has nothing.
  const Story two = Teller()
                        .lock(0, {1, 3}, OperationKind::lock_shared)
                        .lock(2, {2, 10}, OperationKind::lock_shared)
                        .write(1, 6, 1, {4, 60}, 60)
                        .unlock(0, {20, 25})
                        .unlock(2, {40, 45});
  CHECK(longest(two) == Duration::from_ps(1000 * (56 - 36)));
  const Story refused = Teller().lock(0, {1, 3}, OperationKind::try_lock, false).write(1, 6, 1, {2, 50}, 50);
  CHECK(longest(refused) == 48_ns);
}

TEST_CASE("a step may last as long as the node that has the unit waited for it, as often as is said") {
  const auto steps = [](unsigned as_the_holder, std::uint64_t until) {
    EventLog event_log;
    const Source a = event_log.add_session("node0/thread0"), b = event_log.add_session("node1/thread0"),
                 c = event_log.add_session("node1/thread1");
    BoundedWaitingOracle oracle(event_log, {.step = 25_ns, .as_the_holder = as_the_holder}, Waiting::accesses);
    event_log.attach(oracle);
    std::uint64_t id = 0;
    const auto write = [&](Source who, std::uint64_t from, std::uint64_t to) {
      const auto at = [](std::uint64_t ns) { return Time() + Duration::from_ps(1000 * static_cast<std::int64_t>(ns)); };
      record_begun(event_log, who, at(from), OperationId{++id}, OperationKind::write, 6, 1);
      record_ended(event_log, who, at(to), OperationId{id}, OperationKind::write, 6, 1);
    };
    write(a, 1, 5);
    write(b, 10, 30);  // has waited for 20
    write(c, 31, 32);  // at the same node
    write(a, 40, until);
    write(b, 200, 250);  // node 0 has it, and has waited for 65 or 66 ns
    write(a, 260, 262);
    write(b, 270, 299);  // only the latest wait of node 0 counts: 2 ns
    return oracle.violation_count();
  };
  CHECK(steps(0, 105) == 3);
  CHECK(steps(2, 105) == 0);
  CHECK(steps(2, 106) == 1);
  CHECK(steps(1, 106) == 2);
}

TEST_CASE("each other session may overtake as often, however many there are") {
  Teller story;
  story.read(0, 6, 0, {1, 100});
  for (std::uint64_t i = 1; i <= 6; ++i) {
    story.write(1 + static_cast<std::uint32_t>(i % 3), 6, i, {10 * i, 10 * i + 5}, 10 * i + 5);
  }
  CHECK(judged(story, kEndless).most == 2);
  CHECK(judged(story, at_most(2)).violations.empty());
  CHECK(judged(story, at_most(1)).violations.size() == 3);
}

TEST_CASE("sessions of one node have a bound of their own, and the operations that a session has under way count") {
  const auto judged_by = [](const char* winner, const WaitingBounds& bounds, bool two_at_once) {
    EventLog event_log;
    const Source a = event_log.add_session("node0/thread0"), b = event_log.add_session(winner);
    BoundedWaitingOracle oracle(event_log, bounds, Waiting::accesses);
    event_log.attach(oracle);
    const auto at = [](std::int64_t ns) { return Time() + Duration::from_ps(1000 * ns); };
    const auto begin = [&](Source who, std::uint64_t id, std::int64_t ns) {
      record_begun(event_log, who, at(ns), OperationId{id}, OperationKind::write, 6, 1);
    };
    const auto end = [&](Source who, std::uint64_t id, std::int64_t ns) {
      record_ended(event_log, who, at(ns), OperationId{id}, OperationKind::write, 6, 1);
    };
    begin(a, 1, 1);
    if (two_at_once) begin(b, 90, 2);
    for (std::uint64_t id = 2; id < 6; ++id) {
      begin(b, id, static_cast<std::int64_t>(10 * id));
      end(b, id, static_cast<std::int64_t>(10 * id + 5));
    }
    end(a, 1, 100);
    return oracle.violation_count() == 0;
  };
  const WaitingBounds bounds{.overtakings = 9, .at_node = 3};
  CHECK(judged_by("node1/thread0", bounds, false));
  CHECK_FALSE(judged_by("node0/thread1", bounds, false));
  CHECK(judged_by("node0/thread1", bounds, true));  // 3 for each of two at a time
  CHECK_FALSE(judged_by("node1/thread0", at_most(3), false));
}

TEST_CASE("an oracle without bounds judges nothing") {
  NamedEventLog event_log;
  BoundedWaitingOracle endless(event_log, {}, Waiting::accesses), bounded(event_log, at_most(9), Waiting::accesses);
  tell(overtaken(3), event_log, endless);
  CHECK(endless.judged() == 0);
  NamedEventLog again;
  tell(overtaken(3), again, bounded);
  CHECK(bounded.judged() == 4);
}

TEST_CASE("what a fault has disturbed is not judged, and what begins after it has settled is") {
  NamedEventLog event_log;
  BoundedWaitingOracle oracle(event_log, {.overtakings = 0, .step = 10_ns, .settling = 100_ns}, Waiting::accesses);
  event_log.attach(oracle);
  const Source a = event_log.add_source("a");
  const auto one = [&](std::uint64_t number, std::int64_t from, std::int64_t to) {
    record_begun(event_log, a, Time() + Duration::from_ps(from * 1000), OperationId{number}, OperationKind::write, 6,
                 1);
    record_ended(event_log, a, Time() + Duration::from_ps(to * 1000), OperationId{number}, OperationKind::write, 6, 1);
  };
  record_disturbance(event_log, a, Time() + 5_ns, 0, Disturbance::lost);
  one(1, 6, 60);
  one(2, 100, 160);
  CHECK(oracle.violation_count() == 0);
  one(3, 200, 250);
  CHECK(oracle.violation_count() == 1);
  // Machines that do not work as usual explain for as long as that lasts.
  record_disturbance(event_log, a, Time() + 300_ns, 0, Disturbance::machine_begin);
  one(4, 500, 550);
  record_disturbance(event_log, a, Time() + 560_ns, 0, Disturbance::machine_end);
  one(5, 600, 650);
  CHECK(oracle.violation_count() == 1);
  one(6, 700, 750);
  CHECK(oracle.violation_count() == 2);
}

TEST_CASE("overtakings and steps are those that intervals tell") {
  RandomStream random(23, "waiting");
  struct Interval {
    std::uint64_t from, to, key;
    bool write;
    std::uint32_t session;
  };
  std::uint64_t overtakings = 0;
  for (int round = 0; round < 3'000; ++round) {
    // Intervals with distinct ends, of three sessions.
    std::vector<std::uint64_t> instants(12);
    for (std::size_t i = 0; i < instants.size(); ++i) instants[i] = 10 * i + 1 + random.below(9);
    for (std::size_t i = instants.size(); i > 1; --i) std::swap(instants[i - 1], instants[random.below(i)]);
    std::vector<Interval> all;
    Teller story;
    for (std::size_t i = 0; i + 1 < instants.size(); i += 2) {
      all.push_back({std::min(instants[i], instants[i + 1]), std::max(instants[i], instants[i + 1]),
                     4 + random.below(8), random.chance(0.5), static_cast<std::uint32_t>(random.below(3))});
      const std::uint32_t session = all.back().session;
      if (all.back().write) {
        story.write(session, all.back().key, i + 1, {all.back().from, all.back().to}, all.back().to);
      } else {
        story.read(session, all.back().key, 0, {all.back().from, all.back().to});
      }
    }
    const WaitingBounds bounds{
        .unit_bits = 2,
        .waits_from = Duration::from_ps(1000 * static_cast<std::int64_t>(random.below(30))),
        .headway = Duration::from_ps(1000 * static_cast<std::int64_t>(random.below(20))),
    };
    std::uint64_t most = 0;
    std::int64_t longest = 0;
    for (const Interval& loser : all) {
      std::array<std::uint64_t, 3> times{};  // by session
      std::uint64_t moved = loser.from;      // the latest end on the unit before the loser's own
      for (const Interval& winner : all) {
        if (winner.key / 4 != loser.key / 4 || &winner == &loser) continue;
        if (winner.to < loser.to) moved = std::max(moved, winner.to);
        const auto ps = [](std::uint64_t ns) { return 1000 * static_cast<std::int64_t>(ns); };
        if ((winner.write || loser.write) && winner.to < loser.to &&
            ps(winner.from) > ps(loser.from) + bounds.headway.ps() &&
            ps(winner.to - winner.from) >= bounds.waits_from.ps())
          most = std::max(most, ++times[winner.session]);
      }
      longest = std::max(longest, static_cast<std::int64_t>(loser.to - moved));
    }
    INFO("round " << round);
    const Judged found = judged(story, bounds);
    REQUIRE(found.most == most);
    REQUIRE(found.longest == Duration::from_ps(1000 * longest));
    overtakings += most;
  }
  CHECK(overtakings > 1'000);
}

}  // namespace bounded_waiting_oracle_test
