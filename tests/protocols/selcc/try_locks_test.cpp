// SELCC's try-locks: they wait for no thread, at their node or at another, and what they leave in latch words.
#include "tests/protocols/try_locks.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/selcc/selcc_run.hpp"

namespace selcc_try_locks_test {

using namespace racksim;
using namespace racksim::selcc;
using namespace racksim::selcc::testing;
using models::LockMode;
using racksim::testing::give_lock_back;
using racksim::testing::take_lock;
using racksim::testing::try_lock;
using Sequence = std::vector<std::string>;

namespace {

LatchWord shared_by(std::initializer_list<models::NodeId> nodes) {
  std::uint64_t bits = 0;
  for (const models::NodeId node : nodes) bits |= LatchWord::shared(node);
  return LatchWord(bits);
}

}  // namespace

TEST_CASE("SELCC's tries fail against who holds the latch, and leave nothing behind") {
  SelccScript run{Setup{}};
  racksim::testing::check_that_tries_fail_against_holders(run);
  CHECK(run.counter("deferred") == 0);
}

TEST_CASE("SELCC's tries get a line that is cached and not in use, with what was written") {
  SelccScript run{Setup{}};
  racksim::testing::check_that_tries_get_what_is_not_in_use(run);
}

TEST_CASE("SELCC refuses a try for a latch that the thread holds") {
  SelccScript run{Setup{}};
  racksim::testing::check_that_a_holder_does_not_try(run);
}

// The latch operation and the invalidation with its answer: two round trips, and what handlers take.
TEST_CASE("An owner that uses the line says so at once, to readers and writers, and the word names it alone") {
  for (const Undo undo : {Undo::overlapped, Undo::waited}) {
    Setup setup;
    setup.selcc.undo = undo;
    SelccScript run(setup);
    take_lock(run, {0, 0}, 0, LockMode::exclusive);
    Verbs verbs(run);
    for (const LockMode mode : {LockMode::shared, LockMode::exclusive}) {
      const auto tried = try_lock(run, {1, 0}, 0, mode);
      CHECK_FALSE(tried.granted);
      CHECK(tried.took < 4 * run.setup.rack.rtt);
      CHECK(run.word(0) == LatchWord(LatchWord::modified(0)));
      CHECK(run.state(1, 0) == FrameState::absent);
      // A reader takes its bit away again; the flag is a WRITE.
      CHECK(verbs.taken() == (mode == LockMode::exclusive ? Sequence{"1 CAS", "1 READ", "1 SEND", "0 WRITE"}
                                                          : Sequence{"1 FAA", "1 READ", "1 FAA", "1 SEND", "0 WRITE"}));
    }
    CHECK(run.counter("deferred") == 0);
    CHECK(run.counter("refused") == 2);
    give_lock_back(run, {0, 0}, 0);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A try to upgrade that is refused keeps its share, and who does not use the line gives up its own") {
  SelccScript run{Setup{}};
  for (const models::NodeId node : {0, 1, 2}) run.read(node, 0);
  take_lock(run, {1, 0}, 0, LockMode::shared);
  CHECK_FALSE(try_lock(run, {0, 0}, 0, LockMode::exclusive).granted);
  CHECK(run.state(0, 0) == FrameState::shared);
  CHECK(run.state(1, 0) == FrameState::shared);
  CHECK(run.state(2, 0) == FrameState::absent);
  CHECK(run.word(0) == shared_by({0, 1}));
  give_lock_back(run, {1, 0}, 0);
  CHECK(try_lock(run, {0, 0}, 0, LockMode::exclusive).granted);
  CHECK(run.word(0) == LatchWord(LatchWord::modified(0)));
  give_lock_back(run, {0, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A try does not wait behind a thread of its node that acquires the line, nor does that wait for it") {
  SelccScript run{Setup{}};
  take_lock(run, {0, 0}, 0, LockMode::exclusive);
  sim::Time ended = sim::Time::max();
  run.begin({1, 1}, run.line(0), true, &ended);
  run.advance(50_us);  // its invalidation is deferred
  const auto tried = try_lock(run, {1, 0}, 0, LockMode::shared);
  CHECK_FALSE(tried.granted);
  CHECK(tried.took == run.setup.selcc.local_access);
  CHECK(ended == sim::Time::max());
  give_lock_back(run, {0, 0}, 0);
  CHECK(ended < run.calendar.now());
  run.finish();
  CHECK(run.violations() == "");
}

// A writer elsewhere may have found a word that names who only tries.
TEST_CASE("Who tried in vain answers those that have asked it meanwhile") {
  SelccScript run{Setup{}};
  take_lock(run, {0, 0}, 0, LockMode::exclusive);
  sim::Time ended = sim::Time::max();
  run.begin({2, 0}, run.line(0), true, &ended);
  const auto attempt = [&]() -> sim::Task<void> {
    for (int i = 0; i < 20; ++i) co_await run.memory.try_lock({1, 0}, run.line(0));
  };
  run.spawn(attempt(), 1);
  run.advance(200_us);
  give_lock_back(run, {0, 0}, 0);
  CHECK(ended < run.calendar.now());
  if (run.memory.holds_locks()) give_lock_back(run, {1, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A try takes no frame that is not free: where locks have all others it is refused") {
  Setup setup;
  setup.selcc.cache_bytes = 3 * setup.selcc.line_bytes;
  SelccScript run(setup);
  for (const std::uint64_t i : {0, 1, 2}) CHECK(try_lock(run, {0, 0}, i, LockMode::exclusive).granted);
  CHECK_FALSE(try_lock(run, {0, 1}, 3, LockMode::exclusive).granted);
  for (const std::uint64_t i : {0, 1, 2}) give_lock_back(run, {0, 0}, i);
  CHECK(try_lock(run, {0, 1}, 3, LockMode::exclusive).granted);
  give_lock_back(run, {0, 1}, 3);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("In the relaxed mode a try has the writes of its session performed first") {
  Setup setup;
  setup.selcc.relaxed = true;
  setup.selcc.buffer_deadline = 10_ms;
  SelccScript run(setup);
  const auto write = [&]() -> sim::Task<void> { co_await run.memory.write({0, 0}, run.line(1)); };
  run.spawn(write(), 0);
  run.advance(20_us);
  CHECK(run.state(0, 1) == FrameState::absent);
  CHECK(try_lock(run, {0, 0}, 0, LockMode::exclusive).granted);
  CHECK(run.state(0, 1) == FrameState::modified);
  give_lock_back(run, {0, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Under contention tries of all nodes exclude each other, with locks and accesses between them") {
  for (const auto mode : {models::MicroOptions::Mode::tried, models::MicroOptions::Mode::try_lock_and_access}) {
    Setup setup;
    setup.micro.mode = mode;
    setup.micro.working_set = 4 * 4 * setup.selcc.line_bytes;
    SelccRun run(setup);
    run.finish();
    CHECK(run.counter("refused") > 100);
    CHECK(run.violations() == "");
  }
}

}  // namespace selcc_try_locks_test
