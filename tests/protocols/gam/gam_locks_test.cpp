// Locks of lines (GAM §4.1): cached like data, queued for in order, tried at once, and what a denied try leaves behind.
#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/protocols/gam/gam_run.hpp"

namespace gam_locks_test {

using namespace racksim;
using namespace racksim::gam;
using namespace racksim::gam::testing;
using models::LockMode;
using Sequence = std::vector<std::string>;

TEST_CASE("A lock brings the line along, and accesses, the unlock and the next lock need no message",
          "[claim:gam-inv-lock-prefetch]") {
  Script run{Setup{}};
  Messages messages(run);
  Script::Asked asked, again;
  run.lock({1, 0}, 0, LockMode::exclusive, asked);
  run.advance(300_us);
  CHECK(asked.granted);
  CHECK(messages.taken() == Sequence{"1 WRITE", "0 grant with data"});
  run.write(1, 0);
  run.unlock({1, 0}, 0);
  run.lock({1, 1}, 0, LockMode::shared, again);
  run.advance(300_us);
  CHECK(again.granted);
  CHECK(messages.taken().empty());
  run.unlock({1, 1}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE(
    "An exclusive lock keeps other nodes' locks and plain accesses out until it is given back, wherever it is held") {
  for (const NodeId holder : {0, 1}) {  // the home, and another node
    Script run{Setup{}};
    Script::Asked first, second;
    sim::Time read_ended = sim::Time::max();
    run.lock({holder, 0}, 0, LockMode::exclusive, first);
    run.advance(300_us);
    REQUIRE(first.granted);
    run.lock({2, 0}, 0, LockMode::exclusive, second);
    run.begin({3, 0}, run.line(0), false, &read_ended);
    run.advance(1_ms);
    CHECK_FALSE(second.over);
    CHECK(read_ended == sim::Time::max());
    run.unlock({holder, 0}, 0);
    CHECK(second.granted);
    run.unlock({2, 0}, 0);
    CHECK(read_ended < run.calendar.now());
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("Shared locks of several nodes, the home's too, do not keep each other out, but a writer") {
  Script run{Setup{}};
  Script::Asked shared[3], exclusive;
  for (NodeId node = 0; node < 3; ++node) run.lock({node, 0}, 0, LockMode::shared, shared[node]);
  run.advance(300_us);
  for (const Script::Asked& asked : shared) CHECK(asked.granted);
  run.lock({3, 0}, 0, LockMode::exclusive, exclusive);
  run.advance(300_us);
  for (NodeId node = 0; node < 3; ++node) {
    CHECK_FALSE(exclusive.over);
    run.unlock({node, 0}, 0);
  }
  CHECK(exclusive.granted);
  run.unlock({3, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("Requests for a lock are granted in the order of asking at a node, and a reader does not overtake a writer") {
  Setup setup;
  setup.micro.threads = 4;
  Script run(setup);
  std::vector<int> order;
  const auto ask = [&](std::uint16_t thread, LockMode mode, int name) -> sim::Task<void> {
    co_await run.memory.lock({1, thread}, run.line(0), mode);
    order.push_back(name);
    co_await sim::sleep_for(run.rack.server(1).clock(), 50_us);
    co_await run.memory.unlock({1, thread}, run.line(0));
  };
  run.spawn(ask(0, LockMode::shared, 0), 1);
  run.advance(20_us);
  run.spawn(ask(1, LockMode::exclusive, 1), 1);
  run.advance(2_us);
  run.spawn(ask(2, LockMode::shared, 2), 1);
  run.advance(2_us);
  run.spawn(ask(3, LockMode::exclusive, 3), 1);
  run.advance(1_ms);
  CHECK(order == std::vector<int>{0, 1, 2, 3});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A new request for a lock queues behind an invalidation that waits for the holder") {
  Script run{Setup{}};
  Script::Asked held, writer, late;
  run.lock({1, 0}, 0, LockMode::shared, held);
  run.advance(300_us);
  run.lock({2, 0}, 0, LockMode::exclusive, writer);
  run.advance(300_us);
  run.lock({1, 1}, 0, LockMode::shared, late);
  run.advance(300_us);
  CHECK_FALSE(late.over);
  run.unlock({1, 0}, 0);
  CHECK(writer.granted);
  CHECK_FALSE(late.over);
  run.unlock({2, 0}, 0);
  CHECK(late.granted);
  run.unlock({1, 1}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

// Its cache grows beyond its threshold for lines that are locked.
TEST_CASE("GAM does not limit locks") {
  Script run{Setup{}};
  run.protocol.require_locks(1'000'000, 1'000'000);
}

TEST_CASE("A try-lock fails at once against the home, a sharer, an owner and a thread of the same node",
          "[claim:gam-inv-trylock]") {
  for (const NodeId holder : {0, 1, 2}) {
    for (const LockMode mode : {LockMode::shared, LockMode::exclusive}) {
      Script run{Setup{}};
      REQUIRE(run.try_lock({holder, 0}, 0, mode));
      CHECK_FALSE(run.try_lock({2, 1}, 0, LockMode::exclusive));
      CHECK(run.try_lock({3, 0}, 0, LockMode::shared) == (mode == LockMode::shared));
      if (mode == LockMode::shared) run.unlock({3, 0}, 0);
      run.unlock({holder, 0}, 0);
      CHECK(run.try_lock({2, 1}, 0, LockMode::exclusive));
      run.unlock({2, 1}, 0);
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("A try-lock is granted beside locks that are shared like it, though a writer waits, and waits for nobody") {
  for (const NodeId holder : {0, 1}) {  // the home, and another node
    for (const bool plain : {false, true}) {
      Script run{Setup{}};
      Script::Asked writer;
      REQUIRE(run.try_lock({holder, 0}, 0, LockMode::shared));
      if (plain) {
        run.begin({2, 0}, run.line(0), true);
        run.advance(300_us);
      } else {
        run.lock({2, 0}, 0, LockMode::exclusive, writer);
        run.advance(300_us);
        CHECK_FALSE(writer.over);
      }
      CHECK(run.try_lock({holder, 1}, 0, LockMode::shared));
      run.unlock({holder, 1}, 0);
      CHECK_FALSE(run.try_lock({holder, 1}, 0, LockMode::exclusive));
      if (holder == 0) {  // where the line is in transition a try waits for its end
        CHECK(run.try_lock({3, 0}, 0, LockMode::shared));
        CHECK_FALSE(run.try_lock({3, 1}, 0, LockMode::exclusive));
        run.unlock({3, 0}, 0);
      }
      CHECK_FALSE(writer.over);
      run.unlock({holder, 0}, 0);
      CHECK(writer.granted == !plain);
      if (!plain) run.unlock({2, 0}, 0);
      CHECK(run.home(0) == DirectoryState::dirty);
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("A failed upgrade goes back to Shared, and sharers that did acknowledge it leave the list") {
  Script run{Setup{}};
  REQUIRE(run.try_lock({1, 0}, 0, LockMode::shared));
  run.read(2, 0);
  run.read(3, 0);
  CHECK_FALSE(run.try_lock({2, 0}, 0, LockMode::exclusive));
  CHECK(run.state(2, 0) == CacheState::shared);
  CHECK(run.state(3, 0) == CacheState::invalid);
  CHECK(run.sharers(0) == std::vector<NodeId>{1, 2});
  CHECK(run.home(0) == DirectoryState::shared);
  run.unlock({1, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A try-lock that the owner denies leaves it the owner, and tells the writer twice") {
  Script run{Setup{}};
  Messages messages(run);
  REQUIRE(run.try_lock({1, 0}, 0, LockMode::exclusive));
  messages.taken();
  CHECK_FALSE(run.try_lock({2, 0}, 0, LockMode::exclusive));
  Sequence sent = messages.taken();
  std::sort(sent.begin(), sent.end());
  CHECK(sent == Sequence{"0 WRITE_FORWARD", "0 grant-ack", "1 DENIED", "1 DENIED to the home", "2 WRITE"});
  CHECK(run.home(0) == DirectoryState::dirty);
  CHECK(run.state(1, 0) == CacheState::dirty);
  CHECK(run.state(2, 0) == CacheState::invalid);
  run.unlock({1, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("A plain write to a line that its node holds read-locked waits for the unlock, and the holder's is refused") {
  for (const NodeId node : {0, 1}) {  // the home, and another node
    Script run{Setup{}};
    REQUIRE(run.try_lock({node, 0}, 0, LockMode::shared));
    const auto write = [](Script& r, std::uint16_t thread, NodeId n) -> sim::Task<void> {
      co_await r.memory.write({n, thread}, r.line(0));
    };
    CHECK(run.refusal(write(run, 0, node)).find("holds shared") != std::string::npos);
    bool fenced = false;
    const auto write_and_fence = [](Script& r, NodeId n, bool& over) -> sim::Task<void> {
      co_await r.memory.write({n, 1}, r.line(0));
      co_await r.memory.fence({n, 1});
      over = true;
    };
    run.spawn(write_and_fence(run, node, fenced), node);
    run.advance(300_us);
    CHECK_FALSE(fenced);
    run.unlock({node, 0}, 0);
    CHECK(fenced);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("A lock over several lines takes them all, and a try gives back what it took") {
  Script run{Setup{}};
  const std::uint64_t bytes = 2 * Setup::kLineBytes;
  const auto at = run.line(0);  // with line 4 behind it
  REQUIRE(run.try_lock({2, 0}, 4, LockMode::exclusive));
  bool granted = true, over = false;
  const auto try_both = [&]() -> sim::Task<void> {
    granted = co_await run.memory.try_lock({1, 0}, at, LockMode::exclusive, bytes);
  };
  const auto lock_both = [&]() -> sim::Task<void> {
    co_await run.memory.lock({1, 0}, at, LockMode::exclusive, bytes);
    over = true;
    co_await run.memory.unlock({1, 0}, at, bytes);
  };
  run.spawn(try_both(), 1);
  run.advance(300_us);
  CHECK_FALSE(granted);
  CHECK(run.try_lock({3, 0}, 0, LockMode::exclusive));
  run.unlock({3, 0}, 0);
  run.spawn(lock_both(), 1);
  run.advance(300_us);
  CHECK_FALSE(over);
  run.unlock({2, 0}, 4);
  CHECK(over);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("An unlock of what is not held, a second lock and an access beyond an allocation are refused") {
  Script run{Setup{}};
  CHECK(run.refusal(run.memory.unlock({1, 0}, run.line(0))).find("does not hold") != std::string::npos);
  REQUIRE(run.try_lock({1, 0}, 0, LockMode::shared));
  CHECK(run.refusal(run.memory.lock({1, 0}, run.line(0))).find("that it holds") != std::string::npos);
  const auto read = [](Script& r) -> sim::Task<void> { co_await r.memory.read({1, 0}, r.line(1'000'000)); };
  CHECK(run.refusal(read(run)).find("not allocated") != std::string::npos);
  run.unlock({1, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace gam_locks_test
