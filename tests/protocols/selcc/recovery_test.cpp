// SELCC's recovery from crashes of compute nodes (protocols/selcc/recovery.hpp): at any instant of any of its
// workflows the survivors go on, and what is lost is what memory had not seen, no more.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace selcc_recovery_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;

namespace {

Setup recovering(bool sweep = true) {
  Setup setup;
  setup.selcc.undo = Undo::waited;
  setup.selcc.recovery = RecoveryMode::fence;
  setup.selcc.sweep = sweep;
  setup.selcc.membership.lease = 60_us;
  return setup;
}

/// A script whose manager is a timer, and which notes what is lost.
class Recovering : public SelccScript, sim::Observer {
 public:
  explicit Recovering(const Setup& setup) : SelccScript(setup), lane_(calendar.add_lane("test/manager")) {
    event_log.attach(*this);
    tick();
  }
  std::uint64_t membership_counter(const char* name) const {
    return ProtocolRun::counter(std::string("membership.") + name);
  }
  /// The first object's value of a line, as a node reads it.
  sim::Value value(NodeId node, std::uint64_t i, std::uint64_t object) {
    sim::Value found = 0;
    spawn(look(node, {line(i).value + 8 * object}, found), node);
    advance(300_us);
    return found;
  }

  struct Lost {
    std::string author;
    std::uint64_t key, value;
  };
  std::vector<Lost> lost;

 private:
  void tick() {
    protocol->recovery()->membership().look();
    calendar.at<&Recovering::tick>(calendar.now() + protocol->recovery()->membership().interval(), lane_, *this);
  }
  sim::Task<void> look(NodeId node, models::GlobalAddress address, sim::Value& found) {
    found = co_await memory.read({node, 0}, address);
  }
  void observe(const sim::Observation& observation) override {
    if (observation.what != sim::Observed::write_lost) return;
    const auto view = sim::LostWriteView::of(observation);
    lost.push_back({std::string(event_log.name(observation.source)), view.key, view.value});
  }

  sim::Lane lane_;
};

/// What leads up to a workflow, and the workflow, which some node crashes in.
struct Story {
  const char* name;
  std::function<void(Setup&)> change;
  std::function<void(Recovering&)> before, act;
  std::size_t most_lost;  ///< writes that are not in memory
};

void as_is(Setup&) {}
void begin(Recovering& run, NodeId node, bool write, std::uint64_t i = 0, std::uint64_t object = 0) {
  run.begin({node, 0}, {run.line(i).value + 8 * object}, write);
}

const Story kStories[] = {
    {"a miss to read", as_is, [](Recovering&) {}, [](Recovering& run) { begin(run, 1, false); }, 0},
    {"a miss to write", as_is, [](Recovering&) {}, [](Recovering& run) { begin(run, 1, true); }, 1},
    {"case 1", as_is, [](Recovering& run) { run.write(0, 0, 3); }, [](Recovering& run) { begin(run, 1, true, 0, 9); },
     2},
    {"case 2", as_is, [](Recovering& run) { run.write(0, 0, 3); }, [](Recovering& run) { begin(run, 1, false, 0, 3); },
     1},
    {"case 3", as_is,
     [](Recovering& run) {
       run.read(0, 0);
       run.read(2, 0);
     },
     [](Recovering& run) { begin(run, 1, true); }, 1},
    {"an upgrade beside a sharer", as_is,
     [](Recovering& run) {
       run.read(0, 0);
       run.read(1, 0);
     },
     [](Recovering& run) { begin(run, 1, true); }, 1},
    {"two upgrades", [](Setup& setup) { setup.selcc.upgrade_attempts = 1; },
     [](Recovering& run) {
       run.read(0, 0);
       run.read(1, 0);
     },
     [](Recovering& run) {
       begin(run, 0, true, 0, 1);
       begin(run, 1, true, 0, 2);
     },
     2},
    {"a handover by memory", [](Setup& setup) { setup.selcc.forwarding = false; },
     [](Recovering& run) { run.write(0, 0, 3); }, [](Recovering& run) { begin(run, 1, true, 0, 9); }, 2},
    {"an eviction", [](Setup& setup) { setup.selcc.cache_bytes = 2 * setup.selcc.line_bytes; },
     [](Recovering& run) { run.write(0, 0, 3); },
     [](Recovering& run) {
       begin(run, 0, false, 2);
       begin(run, 1, false, 0, 3);
     },
     1},
    {"three owners in a row", as_is, [](Recovering& run) { run.write(2, 0, 1); },
     [](Recovering& run) {
       begin(run, 0, true, 0, 2);
       begin(run, 1, true, 0, 3);
     },
     3},
};

/// When the workflow begins, and ends if nothing disturbs it.
std::pair<sim::Time, sim::Time> span_of(const Story& story) {
  Setup setup = recovering();
  story.change(setup);
  Recovering run(setup);
  story.before(run);
  const sim::Time begun = run.calendar.now();
  story.act(run);
  while (run.protocol->pending_operations() > 0 || !run.protocol->quiescent()) run.advance(1_us);
  return {begun, run.calendar.now()};
}

/// Tells a story in which a node crashes.
void tell(const Story& story, NodeId dead, sim::Time when, bool sweep) {
  Setup setup = recovering(sweep);
  story.change(setup);
  const auto ps = (when - sim::Time{}).ps();
  setup.add_fault("crash", fmt::format(R"({{"node": {}, "from": "{}ps", "stays_down": true}})", dead, ps));
  Recovering run(setup);
  story.before(run);
  story.act(run);
  run.advance(500_us);
  INFO(story.name << ": node " << dead << " crashes at " << ps << " ps" << (sweep ? ", sweep" : ""));
  CHECK(run.membership_counter("exclusions") == 1);
  CHECK(run.lost.size() <= story.most_lost);
  // Everybody who is left can read and write the line.
  for (NodeId node = 0; node < 4; ++node) {
    if (node == dead) continue;
    CHECK(run.read(node, 0, 3) < 100_us);
    CHECK(run.write(node, 0, 3) < 100_us);
  }
  if (sweep) CHECK_FALSE(run.word(0).names(dead));
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace

TEST_CASE("A compute node may crash at any instant of any workflow") {
  for (const Story& story : kStories) {
    const auto [begun, ended] = span_of(story);
    CHECK(ended - begun > 2_us);
    bool sweep = false;
    for (sim::Time when = begun + 1_ns; when < ended; when += 150_ns) {
      for (const NodeId dead : {NodeId{0}, NodeId{1}}) tell(story, dead, when, sweep);
      sweep = !sweep;
    }
  }
}

namespace {

/// Tells a story in which a node loses one packet and crashes so long after its beginning. Returns whether there was
/// such a packet.
bool lose_and_crash(const Story& story, sim::Time begun, NodeId dead, unsigned nth, sim::Duration when,
                    const std::function<void(Options&)>& change, std::string& violations) {
  Setup setup = recovering();
  story.change(setup);
  change(setup.selcc);
  const auto from = (begun - sim::Time{}).ps();
  setup.add_fault("drop", fmt::format(R"({{"from": "{}ps", "node": {}, "direction": "to_switch", "first": {},
                                          "count": 1}})",
                                      from, dead, nth));
  setup.add_fault("crash",
                  fmt::format(R"({{"node": {}, "from": "{}ps", "stays_down": true}})", dead, from + when.ps()));
  Recovering run(setup);
  try {
    story.before(run);
    story.act(run);
    run.advance(500_us);
    for (NodeId node = 0; node < 4; ++node) {
      if (node == dead) continue;
      run.read(node, 0, 3);
      run.write(node, 0, 9);
    }
    run.finish();
    if (violations.empty()) violations = run.violations();
  } catch (const std::exception& impossible) {  // a table's undefined pair
    violations = impossible.what();
  }
  return run.ProtocolRun::counter("packets.dropped.targeted") > 0;
}

/// The first violation, of all stories and packets.
std::string first_violation(const std::function<void(Options&)>& change, unsigned& packets) {
  std::string violations;
  packets = 0;
  for (const Story& story : kStories) {
    const sim::Time begun = span_of(story).first;
    for (const NodeId dead : {NodeId{0}, NodeId{1}}) {
      for (sim::Duration when = 2_us; when < 15_us && violations.empty(); when += 400_ns) {
        for (unsigned nth = 1; lose_and_crash(story, begun, dead, nth, when, change, violations); ++nth) ++packets;
      }
    }
  }
  return violations;
}

}  // namespace

TEST_CASE("Whatever packet a node has lost when it crashes, claims and rechecks put right") {
  unsigned packets = 0;
  CHECK(first_violation([](Options&) {}, packets) == "");
  CHECK(packets > 50);
  CHECK(first_violation([](Options& options) { options.claim = false; }, packets) != "");
  CHECK(first_violation([](Options& options) { options.recheck = false; }, packets) != "");
}

TEST_CASE("What a chain of owners has written is lost with the last, each write with its author") {
  Recovering run(recovering());
  run.write(0, 0, 1);
  run.write(1, 0, 2);
  run.write(2, 0, 3);
  run.rack.crash(2);
  run.advance(500_us);
  std::vector<std::string> authors;
  for (const auto& lost : run.lost) authors.push_back(lost.author);
  std::sort(authors.begin(), authors.end());
  CHECK(authors == std::vector<std::string>{"node0/thread0", "node1/thread0", "node2/thread0"});
  for (const std::uint64_t object : {1u, 2u, 3u}) CHECK(run.value(0, 0, object) == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What memory has seen is not lost with the owner") {
  Recovering run(recovering());
  run.write(0, 0, 1);
  run.read(1, 0, 1);  // case 2 flushes
  run.write(2, 0, 2);
  const sim::Value kept = run.value(2, 0, 1);
  run.rack.crash(2);
  run.advance(500_us);
  REQUIRE(run.lost.size() == 1);
  CHECK(run.lost[0].author == "node2/thread0");
  CHECK(kept != 0);
  CHECK(run.value(1, 0, 1) == kept);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A line that has come is not lost with its giver, although its thread has not looked at it yet") {
  Recovering run(recovering());
  run.write(0, 0, 1);
  begin(run, 1, true, 0, 2);
  while (run.state(1, 0) != FrameState::asking_modified) run.advance(100_ns);
  run.rack.server(1).core(0).set_slowdown(10'000);
  run.advance(10_us);
  REQUIRE(run.state(0, 0) == FrameState::absent);
  REQUIRE(run.state(1, 0) == FrameState::asking_modified);
  run.rack.crash(0);
  run.advance(150_us);
  CHECK(run.membership_counter("exclusions") == 1);
  CHECK(run.state(1, 0) == FrameState::asking_modified);
  run.advance(3_ms);
  CHECK(run.state(1, 0) == FrameState::modified);
  CHECK(run.lost.empty());
  run.rack.server(1).core(0).set_slowdown(1);
  CHECK(run.value(2, 0, 1) != 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Nothing is lost with a node that has only shared") {
  Recovering run(recovering());
  run.write(0, 0, 1);
  run.read(1, 0, 1);
  run.rack.crash(1);
  run.advance(500_us);
  CHECK(run.lost.empty());
  CHECK(run.word(0) == LatchWord(LatchWord::shared(0)));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Without a sweep a dead node stays in words until others meet it there, and never comes back") {
  Recovering run(recovering(false));
  run.write(1, 0, 1);
  run.write(1, 1, 1);
  run.rack.crash(1);
  run.rack.restart(1);
  run.advance(500_us);
  CHECK(run.word(0) == LatchWord(LatchWord::modified(1)));
  run.read(0, 0);
  CHECK(run.word(0) == LatchWord(LatchWord::shared(0)));
  CHECK(run.word(1) == LatchWord(LatchWord::modified(1)));
  run.advance(5_ms);
  CHECK(run.membership_counter("admissions") == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("After a sweep a node comes back as another incarnation, and works") {
  Recovering run(recovering());
  run.write(1, 0, 1);
  run.rack.crash(1);
  run.rack.restart(1);
  run.advance(500_us);
  CHECK(run.word(0) == LatchWord(0));
  CHECK(run.membership_counter("admissions") == 1);
  CHECK(run.write(1, 0, 1) < 20_us);
  CHECK(run.write(0, 0, 2) < 20_us);
  CHECK(run.write(1, 0, 3) < 20_us);
  CHECK(run.value(2, 0, 1) != 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("All compute nodes may crash, and whoever comes back first sweeps") {
  Recovering run(recovering());
  for (NodeId node = 0; node < 4; ++node) run.write(node, node, 1);
  for (NodeId node = 0; node < 4; ++node) run.rack.crash(node);
  run.advance(500_us);
  for (NodeId node = 0; node < 4; ++node) run.rack.restart(node);
  run.advance(500_us);
  CHECK(run.membership_counter("admissions") == 4);
  CHECK(run.lost.size() == 4);
  for (NodeId node = 0; node < 4; ++node) CHECK(run.write(node, 0, 2) < 20_us);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A node without a lease waits, and goes on when it gets one") {
  Setup setup = recovering();
  setup.selcc.membership.slowest_clock = 10;
  Recovering run(setup);
  run.write(0, 0);
  run.rack.server(0).lose_management_link();
  run.advance(100_us);
  sim::Time ended = sim::Time::max();
  run.begin({0, 0}, run.line(0), false, &ended);
  run.advance(100_us);
  CHECK(ended == sim::Time::max());
  run.rack.server(0).regain_management_link();
  run.advance(100_us);
  CHECK(ended < run.calendar.now());
  CHECK(run.membership_counter("exclusions") == 0);
  CHECK(run.membership_counter("lease_waits") == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A node that is taken for dead while it lives loses what it has, and starts over") {
  Recovering run(recovering());
  run.write(0, 0, 1);
  run.rack.server(0).lose_management_link();
  run.advance(500_us);
  CHECK(run.lost.size() == 1);
  CHECK(run.value(1, 0, 1) == 0);
  run.rack.server(0).regain_management_link();
  run.advance(500_us);
  CHECK(run.rack.server(0).incarnation() == 1);
  CHECK(run.write(0, 0, 2) < 20_us);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("The latches of a dead node's threads are given back for them") {
  for (const bool sweep : {false, true}) {
    Recovering run(recovering(sweep));
    const auto hold = [&run]() -> sim::Task<void> {
      co_await run.memory.lock({0, 0}, run.line(0), models::LockMode::exclusive);
      co_await run.protocol->write({0, 0}, run.line(0));
    };
    run.spawn(hold(), 0);
    run.advance(20_us);
    run.rack.crash(0);
    run.advance(500_us);
    CHECK(run.write(1, 0) < 50_us);
    const auto lock_again = [&run]() -> sim::Task<void> {
      co_await run.memory.lock({1, 0}, run.line(0), models::LockMode::exclusive);
      co_await run.memory.unlock({1, 0}, run.line(0));
    };
    run.spawn(lock_again(), 1);
    run.advance(50_us);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A write whose core time outlasts its node's membership is not performed") {
  Recovering run(recovering());
  run.write(0, 0, 1);
  run.rack.server(0).core(0).set_slowdown(10'000);
  begin(run, 0, true, 0, 1);
  run.rack.server(0).lose_management_link();
  run.advance(500_us);
  CHECK(run.membership_counter("exclusions") == 1);
  CHECK(run.value(1, 0, 1) == 0);
  run.advance(3_ms);
  CHECK(run.value(1, 0, 1) == 0);
  run.rack.server(0).regain_management_link();
  run.advance(500_us);
  run.finish();
  CHECK(run.violations({"served"}) == "");  // that the test has isolated the node it cannot know
}

TEST_CASE("Recovery is refused where a word cannot be decoded, and with a lease too short to renew") {
  Setup setup = recovering();
  setup.selcc.undo = Undo::overlapped;
  CHECK_THROWS_AS(SelccScript(setup), sim::OptionError);
  setup = recovering();
  setup.selcc.membership.lease = 2 * setup.rack.rtt;
  CHECK_THROWS_AS(SelccScript(setup), sim::OptionError);
}

TEST_CASE("A try for what a dead node holds ends: in vain, and once that is dealt with it is granted") {
  for (const bool sweep : {false, true}) {
    Recovering run(recovering(sweep));
    run.spawn(run.memory.lock({0, 0}, run.line(0)), 0);
    run.advance(100_us);
    run.rack.crash(0);
    std::vector<bool> granted;
    const auto attempts = [&]() -> sim::Task<void> {
      while (granted.empty() || !granted.back()) {
        const bool got = co_await run.memory.try_lock({1, 0}, run.line(0));
        granted.push_back(got);
      }
    };
    run.spawn(attempts(), 1);
    run.advance(3_ms);
    REQUIRE(granted.size() > 1);
    CHECK(granted.back());
    CHECK(run.word(0) == LatchWord(LatchWord::modified(1)));
    run.spawn(run.memory.unlock({1, 0}, run.line(0)), 1);
    run.advance(100_us);
    run.finish();
    CHECK(run.violations() == "");
  }
}

}  // namespace selcc_recovery_test
