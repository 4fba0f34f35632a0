// GAM's recovery from its logs (protocols/gam/recovery/recovery.hpp): whoever crashes, and comes back, at any instant
// of any workflow, nothing that was performed is lost, and everybody goes on.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/protocols/gam/gam_run.hpp"

namespace gam_recovery_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;

namespace {

Setup logging() {
  Setup setup;
  setup.options.logging = true;
  setup.options.membership.lease = 60_us;
  setup.options.nvram.latency = 300_ns;
  return setup;
}

/// A script whose manager is a timer.
class Recovering : public Script, sim::Observer {
 public:
  explicit Recovering(const Setup& setup) : Script(setup), manager_(*this) { event_log.attach(*this); }
  /// An object's value, as a node reads it.
  sim::Value value(NodeId node, std::uint64_t i, std::uint64_t object = 0) {
    sim::Value found = 0;
    spawn(look(node, {line(i).value + 8 * object}, found), node);
    advance(400_us);
    return found;
  }
  /// It goes off and comes back; all that follows comes to rest.
  void crash(std::vector<NodeId> nodes) {
    for (const NodeId node : nodes) rack.crash(node);
    advance(300_us);
    for (const NodeId node : nodes) rack.restart(node);
    advance(2_ms);
  }
  void hold(models::Session session, std::uint64_t i, models::LockMode mode) {
    Asked asked;
    lock(session, i, mode, asked);
    advance(300_us);
    if (!asked.granted) throw std::logic_error("nobody else has the lock");
  }
  /// Tries to lock a line, and gives the lock back if that has worked.
  void attempt(models::Session session, std::uint64_t i) {
    spawn(attempt_and_tell(session, i, unheard_), session.node);
  }
  sim::Task<void> attempt_and_tell(models::Session session, std::uint64_t i, Asked& asked) {
    asked.granted = co_await memory.try_lock(session, line(i), models::LockMode::exclusive);
    asked.over = true;
    if (asked.granted) co_await memory.unlock(session, line(i));
  }
  sim::Task<void> lock_and_unlock(models::Session session, std::uint64_t i) {
    co_await memory.lock(session, line(i), models::LockMode::exclusive);
    co_await memory.unlock(session, line(i));
  }
  void touch(models::Session session, std::uint64_t i, bool write) { begin(session, line(i), write); }

  std::uint64_t lost = 0;

 private:
  sim::Task<void> look(NodeId node, models::GlobalAddress address, sim::Value& found) {
    found = co_await memory.read({node, 1}, address);
  }
  void observe(const sim::Observation& observation) override {
    if (observation.what == sim::Observed::write_lost) ++lost;
  }

  Manager manager_;
  Asked unheard_;
};

/// What leads up to a workflow of line 0, whose home is node 0, and the workflow.
struct Story {
  const char* name;
  std::function<void(Recovering&)> before, act;
  std::optional<models::Session> holder = std::nullopt;  ///< of the lock of line 0, from before on
};

const std::vector<Story>& stories() {
  static const std::vector<Story> all{
      {"home reads a Dirty line", [](Recovering& r) { r.write(1, 0); },
       [](Recovering& r) {
         r.touch({0, 0}, 0, false);
       }},
      {"home writes a Shared line",
       [](Recovering& r) {
         r.write(0, 0);
         r.read(1, 0);
         r.read(2, 0);
       },
       [](Recovering& r) {
         r.touch({0, 0}, 0, true);
       }},
      {"home writes a Dirty line", [](Recovering& r) { r.write(1, 0); },
       [](Recovering& r) {
         r.touch({0, 0}, 0, true);
       }},
      {"remote read, clean", [](Recovering& r) { r.write(0, 0); },
       [](Recovering& r) {
         r.touch({1, 0}, 0, false);
       }},
      {"remote read, dirty", [](Recovering& r) { r.write(1, 0); },
       [](Recovering& r) {
         r.touch({2, 0}, 0, false);
       }},
      {"remote write, UnShared", [](Recovering& r) { r.write(0, 0); },
       [](Recovering& r) {
         r.touch({1, 0}, 0, true);
       }},
      {"remote write, Shared",
       [](Recovering& r) {
         r.write(1, 0);
         r.read(2, 0);
         r.read(3, 0);
       },
       [](Recovering& r) {
         r.touch({2, 0}, 0, true);
       }},
      {"remote write, dirty", [](Recovering& r) { r.write(1, 0); },
       [](Recovering& r) {
         r.touch({2, 0}, 0, true);
       }},
      {"three want a dirty line", [](Recovering& r) { r.write(1, 0); },
       [](Recovering& r) {
         r.touch({0, 0}, 0, true);
         r.touch({2, 0}, 0, true);
         r.touch({3, 0}, 0, false);
       }},
      {"a try-lock that one of two sharers denies",
       [](Recovering& r) {
         r.write(0, 0);
         r.hold({2, 0}, 0, models::LockMode::shared);
         r.read(3, 0);
       },
       [](Recovering& r) {
         r.attempt({1, 0}, 0);
       },
       models::Session{2, 0}},
      {"a try-lock that the owner denies",
       [](Recovering& r) {
         r.hold({2, 0}, 0, models::LockMode::exclusive);
       },
       [](Recovering& r) {
         r.attempt({1, 0}, 0);
       },
       models::Session{2, 0}},
      {"a lock that waits for another",
       [](Recovering& r) {
         r.hold({2, 0}, 0, models::LockMode::exclusive);
       },
       [](Recovering& r) {
         r.spawn(r.lock_and_unlock({1, 0}, 0), 1);
         r.spawn(r.lock_and_unlock({0, 0}, 0), 0);
       },
       models::Session{2, 0}},
      {"evictions",
       [](Recovering& r) {
         for (std::uint64_t i = 0; i < 16; ++i) r.write(1, 4 * i);
       },
       [](Recovering& r) {
         r.touch({1, 0}, 64, false);
         r.touch({1, 1}, 68, true);
       }},
  };
  return all;
}

Setup setup_of_stories() {
  Setup setup = logging();
  setup.micro.working_set = 128 * Setup::kLineBytes;
  return setup;
}

/// When messages leave and arrive.
class Instants final : models::PacketObserver {
 public:
  explicit Instants(Recovering& run) : run_(run) { run.rack.context().add_packet_observer(*this); }

  std::set<sim::Time> taken() { return std::exchange(instants_, {}); }

 private:
  void on_wire(const p4::Packet&, const models::WirePassage&) override { instants_.insert(run_.calendar.now()); }
  void delivered(const p4::Packet&, sim::Source, sim::Time) override { instants_.insert(run_.calendar.now()); }
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  Recovering& run_;
  std::set<sim::Time> instants_;
};

/// The instants right after each message of a workflow has left or arrived, and after what its receiver does then.
std::set<sim::Time> instants_of(const Story& story) {
  Recovering run(setup_of_stories());
  story.before(run);
  Instants instants(run);
  story.act(run);
  run.advance(200_us);
  if (story.holder) run.unlock(*story.holder, 0);
  std::set<sim::Time> all;
  for (const sim::Time instant : instants.taken()) {
    for (const sim::Duration later : {1_ns, 400_ns, 1600_ns, 2_us}) all.insert(instant + later);
  }
  run.finish();
  return all;
}

/// Tells a story in which nodes crash at an instant, and come back.
void tell(const Story& story, const std::vector<NodeId>& dead, sim::Time when) {
  Setup setup = setup_of_stories();
  std::string nodes;
  for (const NodeId node : dead) {
    nodes += fmt::format(" {}", node);
    setup.add_fault("crash", fmt::format(R"({{"node": {}, "from": "{}ps", "until": "{}ps"}})", node,
                                         (when - sim::Time{}).ps(), (when + 300_us - sim::Time{}).ps()));
  }
  INFO(story.name << ": nodes" << nodes << " crash at " << when.ns() << " ns");
  Recovering run(setup);
  story.before(run);
  story.act(run);
  run.advance(3_ms);
  const bool holds = story.holder && std::find(dead.begin(), dead.end(), story.holder->node) == dead.end();
  if (holds) run.unlock(*story.holder, 0);
  // Everybody reads, writes and reads again.
  for (NodeId node = 0; node < 4; ++node) run.value(node, 0);
  for (NodeId node = 0; node < 4; ++node) run.write(node, 0, node);
  const sim::Value last = run.value(0, 0, 3);
  for (NodeId node = 1; node < 4; ++node) CHECK(run.value(node, 0, 3) == last);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace

TEST_CASE("Whichever node crashes after whatever message of a workflow, nothing performed is lost and all go on",
          "[claim:gam-inv-recovery-two-trials]") {
  for (const Story& story : stories()) {
    const auto instants = instants_of(story);
    INFO(story.name);
    CHECK(instants.size() >= 8);
    for (const sim::Time instant : instants) {
      for (NodeId dead = 0; dead < 4; ++dead) tell(story, {dead}, instant);
    }
  }
}

TEST_CASE("The same of every two nodes at once") {
  for (const Story& story : stories()) {
    for (const sim::Time instant : instants_of(story)) {
      for (NodeId one = 0; one < 4; ++one) {
        for (NodeId other = one + 1; other < 4; ++other) tell(story, {one, other}, instant);
      }
    }
  }
}

TEST_CASE("A line of a single object survives too, though a counter is as long as it") {
  Setup setup = logging();
  setup.options.line_bytes = 8;
  setup.options.cache_bytes = 64;
  Recovering run(setup);
  run.write(1, 0);
  run.read(2, 0);
  run.write(2, 0);  // an upgrade: the grant is a counter alone
  run.write(3, 0);  // and owner's data with one
  const sim::Value written = run.value(3, 0);
  run.crash({0, 3});
  CHECK(run.value(1, 0) == written);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A full log stalls the writer until a disk has taken over as much") {
  Setup setup = logging();
  setup.options.nvram.bytes = 2 * (Setup::kLineBytes + Log::kHeaderBytes);
  setup.options.nvram.spill = 1'000'000;  // a byte in 8 us
  Recovering run(setup);
  CHECK(run.write(0, 0) < 1_us);
  CHECK(run.write(0, 0) < 1_us);
  CHECK(run.counter("log.stalls") == 0);
  sim::Time ended = sim::Time::max();
  run.begin({0, 0}, run.line(0), true);
  run.begin({0, 1}, run.line(4), false, &ended);
  run.advance(1_ms);
  CHECK(run.counter("log.stalls") == 1);
  CHECK(ended == sim::Time::max());  // the worker waits for its log
  run.advance(1_ms);
  CHECK(ended != sim::Time::max());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("An owner that crashes is the owner again, with what it has written") {
  Recovering run(logging());
  run.write(1, 0);
  const sim::Value written = run.value(1, 0);
  run.crash({1});
  CHECK(run.counter("recovery.promoted") == 1);
  CHECK(run.state(1, 0) == CacheState::dirty);
  CHECK(run.home(0) == DirectoryState::dirty);
  CHECK(run.value(2, 0) == written);
  CHECK(run.lost == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A home that crashes has its own writes again, and knows the owners of its other lines") {
  Recovering run(logging());
  run.write(0, 0);
  run.write(1, 4);
  const sim::Value own = run.value(0, 0), other = run.value(1, 4);
  run.crash({0});
  CHECK(run.home(0) == DirectoryState::unshared);
  CHECK(run.home(4) == DirectoryState::dirty);
  CHECK(run.state(1, 4) == CacheState::dirty);
  CHECK(run.value(2, 0) == own);
  CHECK(run.value(2, 4) == other);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("What a home had taken back without an entry is in the log of its last owner") {
  Recovering run(logging());
  run.write(1, 0);
  const sim::Value written = run.value(1, 0);
  run.read(2, 0);  // which puts it into the home's memory, and logs nothing
  const std::uint64_t logged = run.counter("log.dlog");
  run.crash({0});
  CHECK(run.counter("log.dlog") == logged);
  CHECK(run.home(0) == DirectoryState::unshared);
  CHECK(run.state(2, 0) == CacheState::invalid);
  CHECK(run.value(3, 0) == written);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Locks of survivors outlive their line's home: a shared one is announced, an exclusive one has its DLOG",
          "[claim:gam-inv-recovery-locks]") {
  for (const auto mode : {models::LockMode::shared, models::LockMode::exclusive}) {
    Recovering run(logging());
    run.write(0, 0);
    Script::Asked held, wanted;
    run.lock({1, 0}, 0, mode, held);
    run.advance(300_us);
    REQUIRE(held.granted);
    run.crash({0});
    CHECK(run.counter("recovery.announced") == (mode == models::LockMode::shared ? 1 : 0));
    CHECK(run.counter("recovery.promoted") == (mode == models::LockMode::shared ? 0 : 1));
    run.lock({2, 0}, 0, models::LockMode::exclusive, wanted);
    run.advance(300_us);
    CHECK_FALSE(wanted.over);
    run.unlock({1, 0}, 0);
    CHECK(wanted.granted);
    run.unlock({2, 0}, 0);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A lock dies with its holder, and others wait no longer") {
  Recovering run(logging());
  Script::Asked held, wanted;
  run.lock({1, 0}, 0, models::LockMode::exclusive, held);
  run.advance(300_us);
  REQUIRE(held.granted);
  run.lock({2, 0}, 0, models::LockMode::exclusive, wanted);
  run.advance(300_us);
  CHECK_FALSE(wanted.over);
  run.crash({1});
  CHECK(wanted.granted);
  run.unlock({2, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A denial counts no more when the lock that it was for has died with its holder") {
  Setup setup = logging();
  setup.add_fault("slow-core", R"({"node": 3, "from": "1150us", "until": "2500us", "factor": 300})");
  setup.add_fault("crash", R"({"node": 2, "from": "1300us", "until": "1600us"})");
  Recovering run(setup);
  run.write(0, 0);
  run.hold({2, 0}, 0, models::LockMode::shared);
  run.read(3, 0);
  run.advance_to(sim::Time{} + 1200_us);
  Script::Asked asked;
  Messages messages(run);
  run.spawn(run.attempt_and_tell({1, 0}, 0, asked), 1);
  run.advance_to(sim::Time{} + 1290_us);
  // The holder has denied it, and the other sharer is slow.
  REQUIRE(messages.taken() ==
          std::vector<std::string>{"1 WRITE", "0 INVALIDATE_FORWARD", "0 INVALIDATE_FORWARD", "2 DENIED to the home"});
  REQUIRE_FALSE(asked.over);
  run.advance(3_ms);
  CHECK(asked.granted);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Without logging what dies with a node is counted and named") {
  Setup setup;
  Script run(setup);
  run.write(0, 0);  // at home
  run.write(0, 5);  // owned: its home is node 1
  run.write(0, 5, 1);
  run.write(1, 4);  // of node 0's lines, owned by another
  run.rack.crash(0);
  CHECK(run.counter("lost.homed") == 1);
  CHECK(run.counter("lost.owned") == 1);
}

TEST_CASE("Logging is refused where it cannot recover") {
  const auto refusal = [](auto&& change) -> std::string {
    Setup setup = logging();
    change(setup);
    try {
      Script run(setup);
    } catch (const sim::OptionError& error) {
      return error.option();
    }
    return {};
  };
  CHECK(refusal([](Setup& s) { s.options.nvram.bytes = 100; }).find("nvram") != std::string::npos);
  CHECK(refusal([](Setup& s) { s.options.blocking = false; }).find("logging") != std::string::npos);
  CHECK(refusal([](Setup&) {}).empty());
}

}  // namespace gam_recovery_test
