// The RPC directory's try-locks: who uses a line says so, the home tells who tries, and knows who has kept what.
#include <catch2/catch.hpp>

#include "protocols/rpc_directory/directory.hpp"
#include "tests/protocols/rpc_directory/rpc_directory_run.hpp"
#include "tests/protocols/try_locks.hpp"

namespace rpc_try_locks_test {

using namespace racksim;
using namespace racksim::rpc_directory;
using namespace racksim::rpc_directory::testing;
using models::LockMode;
using racksim::testing::give_lock_back;
using racksim::testing::take_lock;
using racksim::testing::try_lock;
using Sequence = std::vector<std::string>;

namespace {

std::vector<NodeId> holders(Script& run, std::uint64_t i) {
  std::vector<NodeId> nodes;
  const Entry* entry = run.protocol.directory_of(run.key(i)).find(run.key(i));
  if (entry == nullptr) return nodes;
  for (const Holder& holder : entry->holders) nodes.push_back(holder.node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

TEST_CASE("With a directory tries fail against who holds the latch, and leave nothing behind") {
  Script run{Setup{}};
  racksim::testing::check_that_tries_fail_against_holders(run);
  CHECK(run.counter("deferred") == 0);
}

TEST_CASE("With a directory tries get a line that is cached and not in use, with what was written") {
  Script run{Setup{}};
  racksim::testing::check_that_tries_get_what_is_not_in_use(run);
}

TEST_CASE("With a directory a try for a latch that the thread holds is refused at the call") {
  Script run{Setup{}};
  racksim::testing::check_that_a_holder_does_not_try(run);
}

TEST_CASE("An owner that uses the line tells who tries, and the home, which knows it as the owner as before") {
  Script run{Setup{}};
  take_lock(run, {0, 0}, 0, LockMode::exclusive);
  Verbs verbs(run);
  for (const LockMode mode : {LockMode::shared, LockMode::exclusive}) {
    const auto tried = try_lock(run, {1, 0}, 0, mode);
    CHECK_FALSE(tried.granted);
    CHECK(tried.took < 4 * run.rack.options().rtt);
    // The request and its reply, what the owner is asked, and what it tells both.
    CHECK(verbs.taken() == Sequence{"1 SEND", "4 WRITE", "1 SEND", "0 WRITE", "0 SEND"});
    CHECK(run.home(0) == DirectoryState::exclusive);
    CHECK(holders(run, 0) == std::vector<NodeId>{0});
    CHECK(run.state(1, 0) == LineState::absent);
  }
  give_lock_back(run, {0, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A try to upgrade that is refused keeps its share, and the home knows who has given up theirs") {
  Script run{Setup{}};
  for (const NodeId node : {0, 1, 2}) run.read(node, 0);
  take_lock(run, {1, 0}, 0, LockMode::shared);
  CHECK_FALSE(try_lock(run, {0, 0}, 0, LockMode::exclusive).granted);
  CHECK(run.state(0, 0) == LineState::shared);
  CHECK(run.state(2, 0) == LineState::absent);
  CHECK(run.home(0) == DirectoryState::shared);
  CHECK(holders(run, 0) == std::vector<NodeId>{0, 1});
  // By who has no share: the one that tried before does not use its own.
  CHECK_FALSE(try_lock(run, {3, 0}, 0, LockMode::exclusive).granted);
  CHECK(run.state(3, 0) == LineState::absent);
  CHECK(holders(run, 0) == std::vector<NodeId>{1});
  give_lock_back(run, {1, 0}, 0);
  CHECK(try_lock(run, {3, 0}, 0, LockMode::exclusive).granted);
  CHECK(holders(run, 0) == std::vector<NodeId>{3});
  give_lock_back(run, {3, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A line that is busy at its home for another request is in use, and the request goes on") {
  Script run{Setup{}};
  take_lock(run, {0, 0}, 0, LockMode::exclusive);
  sim::Time ended = sim::Time::max();
  run.begin({1, 0}, run.line(0), true, &ended);
  run.advance(50_us);  // the owner defers it
  Verbs verbs(run);
  CHECK_FALSE(try_lock(run, {2, 0}, 0, LockMode::shared).granted);
  CHECK(verbs.taken() == Sequence{"2 SEND", "4 WRITE"});
  CHECK(ended == sim::Time::max());
  give_lock_back(run, {0, 0}, 0);
  CHECK(ended < run.calendar.now());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A request that finds a try under way at the home waits for its end, and then has the line") {
  Setup setup;
  setup.options.directory = 5_us;
  Script run(setup);
  take_lock(run, {0, 0}, 0, LockMode::exclusive);
  std::optional<bool> granted;
  const auto attempt = [&]() -> sim::Task<void> { granted = co_await run.memory.try_lock({1, 0}, run.line(0)); };
  run.spawn(attempt(), 1);
  run.advance(1_us);
  sim::Time ended = sim::Time::max();
  run.begin({2, 0}, run.line(0), true, &ended);
  run.advance(100_us);
  CHECK(granted == false);
  CHECK(run.counter("queued") == 1);
  CHECK(ended == sim::Time::max());
  give_lock_back(run, {0, 0}, 0);
  CHECK(ended < run.calendar.now());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("With a directory tries of all nodes exclude each other, with locks and accesses between them") {
  for (const auto mode : {models::MicroOptions::Mode::tried, models::MicroOptions::Mode::try_lock_and_access}) {
    Setup setup;
    setup.micro.mode = mode;
    setup.micro.working_set = 4 * 4 * setup.options.line_bytes;
    Run run(setup);
    run.finish();
    CHECK(run.counter("refused") > 100);
    CHECK(run.violations() == "");
  }
}

}  // namespace rpc_try_locks_test
