// Locks of blocks (protocols/flowcc/node/block_locks.hpp): applications hold the protocol's own LOCK word, with data
// and permission; other nodes wait, siblings share, try, and hand over.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/protocols/flowcc/node/lock_run.hpp"

namespace block_locks_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using models::LockMode;
using Ownership = FlowCcOptions::Ownership;
using Script = LockScript<FlowCcScript>;

namespace {

Setup owned_by(Ownership ownership) {
  Setup setup;
  setup.flowcc.ownership = ownership;
  return setup;
}

const std::vector<Ownership> kOwners{Ownership::switch_owned, Ownership::home};

const CacheEntry* copy_at(Script& run, NodeId node, models::GlobalAddress at) {
  const CacheEntry* entry = run.protocol->node(node).cache().find(run.protocol->block_of(at));
  return entry != nullptr && entry->valid() ? entry : nullptr;
}

std::string requests(const Script& run) {
  std::string text;
  for (const char* type : {"read_miss", "write_miss", "write_shared", "lock_shared", "lock_exclusive"}) {
    const std::uint64_t times = run.counter(std::string("requests.") + type);
    if (times > 0) text += (text.empty() ? "" : " ") + std::to_string(times) + " " + type;
  }
  return text;
}

}  // namespace

// `locks.per_thread`, and two buckets of eight entries.
TEST_CASE("a session may hold as many locks as it has numbers for, and a node as its cache has entries") {
  Setup setup;
  setup.flowcc.locks.per_thread = 5;
  const Script run(setup);
  CHECK(run.protocol->shape().locks_per_session == 5);
  CHECK(run.protocol->shape().lines_pinned_per_node == 16);
}

TEST_CASE("a lock brings data and permission in one event, and the node's accesses under it are hits") {
  for (const Ownership ownership : kOwners) {
    Script run(owned_by(ownership));
    const auto block = run.shared_block(2);
    run.access({3, 0}, block, true);  // somebody else has it dirty
    const std::uint64_t events = run.counter("events");
    run.lock({1, 0}, block, LockMode::exclusive);
    CHECK(run.counter("events") == events + 1);
    REQUIRE(copy_at(run, 1, block) != nullptr);
    CHECK(copy_at(run, 1, block)->state == CacheEntry::State::dirty);
    CHECK(copy_at(run, 3, block) == nullptr);
    run.access({1, 0}, block, true);
    run.access({1, 1}, block, false);  // a sibling passes
    run.access({1, 1}, block, true);
    CHECK(run.counter("events") == events + 1);
    CHECK(run.unlock({1, 0}, block) == "");
    CHECK(run.counter("events") == events + 1);
    CHECK(run.protocol->metadata(run.protocol->block_of(block)) == GlobalMetadata{GlobalStatus::modified, node_bit(1)});
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("which request takes a lock depends on what the node has, and says to the owner what it has then") {
  // A copy by a read of one's own is clean; by a write dirty. Node 2's read before makes a clean copy one of two.
  struct Case {
    const char* before;
    LockMode mode;
    const char* requests;
    GlobalMetadata after;
    bool dirty;
  };
  const GlobalMetadata mine{GlobalStatus::modified, node_bit(1)};
  const GlobalMetadata alone{GlobalStatus::shared, node_bit(1)};
  const GlobalMetadata both{GlobalStatus::shared, node_bit(1) | node_bit(2)};
  const std::vector<Case> cases{
      {"", LockMode::exclusive, "1 write_miss", mine, true},
      {"", LockMode::shared, "1 read_miss", alone, false},
      {"read", LockMode::exclusive, "1 read_miss 1 lock_exclusive", mine, true},
      {"read", LockMode::shared, "1 read_miss 1 lock_shared", alone, false},
      {"both", LockMode::exclusive, "2 read_miss 1 lock_exclusive", mine, true},
      {"both", LockMode::shared, "2 read_miss 1 lock_shared", both, false},
      {"write", LockMode::exclusive, "1 write_miss 1 lock_exclusive", mine, true},
      {"write", LockMode::shared, "1 write_miss 1 lock_shared", alone, false},
  };
  for (const Ownership ownership : kOwners) {
    for (const Case& c : cases) {
      INFO(c.before << (c.mode == LockMode::shared ? " shared" : " exclusive"));
      Script run(owned_by(ownership));
      const auto block = run.shared_block(0);
      const std::string before = c.before;
      if (before == "both") run.access({2, 0}, block, false);
      if (!before.empty()) run.access({1, 0}, block, before == "write");
      run.lock({1, 0}, block, c.mode);
      CHECK(requests(run) == c.requests);
      CHECK((copy_at(run, 1, block)->state == CacheEntry::State::dirty) == c.dirty);
      run.unlock({1, 0}, block);
      CHECK(run.protocol->metadata(run.protocol->block_of(block)) == c.after);
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("an exclusive lock keeps other nodes' locks and plain accesses out until it is given back") {
  for (const Ownership ownership : kOwners) {
    for (const NodeId holder : {0, 1}) {  // the home, and another node
      Script run(owned_by(ownership));
      const auto block = run.shared_block(0);
      Script::Asked asked;
      sim::Time read_ended = sim::Time::max(), write_ended = sim::Time::max();
      run.lock({holder, 0}, block, LockMode::exclusive);
      run.ask({2, 0}, block, LockMode::exclusive, asked);
      run.begin({3, 0}, block, false, &read_ended);
      run.begin({3, 1}, block, true, &write_ended);
      run.advance(1_ms);
      CHECK_FALSE(asked.over);
      CHECK(read_ended == sim::Time::max());
      CHECK(write_ended == sim::Time::max());
      run.unlock({holder, 0}, block);
      run.advance(1_ms);
      CHECK(asked.granted);
      run.unlock({2, 0}, block);
      run.advance(1_ms);
      CHECK(read_ended < run.calendar.now());
      CHECK(write_ended < run.calendar.now());
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("under a shared lock others read and lock for reading, also what the holder had dirty; who writes waits") {
  for (const Ownership ownership : kOwners) {
    for (const bool was_dirty : {false, true}) {
      Script run(owned_by(ownership));
      const auto block = run.shared_block(3);
      if (was_dirty) run.access({1, 0}, block, true);
      run.lock({1, 0}, block, LockMode::shared);
      sim::Time read_ended = sim::Time::max(), write_ended = sim::Time::max();
      run.begin({2, 0}, block, false, &read_ended);
      run.advance(300_us);
      CHECK(read_ended < run.calendar.now());
      run.lock({3, 0}, block, LockMode::shared);  // holds no copy
      run.lock({2, 0}, block, LockMode::shared);  // holds one
      run.begin({0, 0}, block, true, &write_ended);
      for (const NodeId holder : {1, 2, 3}) {
        run.advance(500_us);
        CHECK(write_ended == sim::Time::max());
        CHECK(run.unlock({holder, 0}, block) == "");
      }
      run.advance(500_us);
      CHECK(write_ended < run.calendar.now());
      run.finish();
      CHECK(run.violations() == "");
    }
  }
}

TEST_CASE("a try-lock fails at once where somebody has the lock, and is granted after a lost race") {
  for (const Ownership ownership : kOwners) {
    Setup setup = owned_by(ownership);
    setup.flowcc.miss_setup = 5_us;  // between choosing the request and sending it, others may take the copy
    Script run(setup);
    const auto block = run.shared_block(1);
    run.lock({0, 0}, block, LockMode::exclusive);
    CHECK_FALSE(run.try_lock({1, 0}, block, LockMode::exclusive).granted);
    CHECK_FALSE(run.try_lock({0, 1}, block, LockMode::shared).granted);  // a sibling
    run.unlock({0, 0}, block);
    CHECK(run.try_lock({1, 0}, block, LockMode::shared).granted);
    CHECK_FALSE(run.try_lock({2, 0}, block, LockMode::exclusive).granted);
    CHECK(run.try_lock({2, 0}, block, LockMode::shared).granted);
    run.unlock({1, 0}, block);
    run.unlock({2, 0}, block);

    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("a try-lock that loses its copy on the way asks again, as who has none") {
  for (const Ownership ownership : kOwners) {
    unsigned asked_again = 0;
    for (sim::Duration later = 0_us; later < 12_us; later = later + 250_ns) {
      Setup setup = owned_by(ownership);
      setup.flowcc.miss_setup = 5_us;  // between choosing the request and sending it, others may take the copy
      Script run(setup);
      const auto block = run.shared_block(1);
      run.access({1, 0}, block, false);
      run.begin({3, 0}, block, true);
      run.advance(later);
      const bool granted = run.try_lock({1, 0}, block, LockMode::exclusive).granted;
      // Node 3's write was a miss, and a lock that finds no copy is one too.
      if (granted && run.counter("requests.lock_exclusive") == 1 && run.counter("requests.write_miss") == 2) {
        ++asked_again;
      }
      if (granted) run.unlock({1, 0}, block);
      run.finish();
      REQUIRE(run.violations() == "");
    }
    CHECK(asked_again > 0);
  }
}

TEST_CASE("a thread holds as many locks as it has numbers, also at one owner, and the next is refused") {
  for (const Ownership ownership : kOwners) {
    Setup setup = owned_by(ownership);
    setup.flowcc.locks.per_thread = 50;
    setup.flowcc.cache_bytes = 512 * 4096;
    setup.flowcc.ways = 9;
    setup.micro.shared_bytes = 4 * 51 * 4096;
    Script run(setup);
    for (std::uint64_t i = 0; i < 50; ++i) run.lock({1, 0}, run.shared_block(4 * i), LockMode::exclusive);
    CHECK_FALSE(run.try_lock({2, 0}, run.shared_block(0), LockMode::shared).granted);
    CHECK_FALSE(run.try_lock({2, 0}, run.shared_block(4 * 49), LockMode::shared).granted);
    const auto refused = run.lock({1, 0}, run.shared_block(4 * 50), LockMode::exclusive);
    CHECK_FALSE(refused.granted);
    CHECK(refused.failure == "node 1, thread 0 holds 50 locks, as many as it may (locks.per_thread)");
    for (std::uint64_t i = 0; i < 50; ++i) CHECK(run.unlock({1, 0}, run.shared_block(4 * i)) == "");
    CHECK(run.lock({1, 0}, run.shared_block(4 * 50), LockMode::exclusive).granted);
    run.unlock({1, 0}, run.shared_block(4 * 50));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("an unlock by a stranger, a second lock, an upgrade, and freeing what is locked are refused") {
  Script run{Setup{}};
  const auto block = run.shared_block(0);
  CHECK(run.unlock({1, 0}, block) == "node 1, thread 0 holds no lock of block 0x0");
  run.lock({1, 0}, block, LockMode::shared);
  CHECK(run.unlock({1, 1}, block) == "node 1, thread 1 holds no lock of block 0x0");
  CHECK(run.unlock({2, 0}, block) == "node 2, thread 0 holds no lock of block 0x0");
  const std::string again = "node 1, thread 0 holds a lock of block 0x0 already";
  CHECK(run.lock({1, 0}, block, LockMode::shared).failure == again);
  CHECK(run.lock({1, 0}, block, LockMode::exclusive).failure == again);  // an upgrade
  CHECK(run.unlock({1, 0}, block) == "");

  models::GlobalAddress piece{};
  std::string refused;
  const auto allocate = [](Script& r, models::GlobalAddress& into) -> sim::Task<void> {
    into = co_await r.protocol->allocate({0, 0}, 3 * 4096);
  };
  const auto free = [](Script& r, models::GlobalAddress what, std::string& why) -> sim::Task<void> {
    try {
      co_await r.protocol->free({0, 0}, what);
    } catch (const std::invalid_argument& error) {
      why = error.what();
    }
  };
  run.spawn(allocate(run, piece));
  run.advance(300_us);
  const models::GlobalAddress last{piece.value + 2 * 4096};
  run.lock({2, 0}, last, LockMode::shared);
  run.spawn(free(run, piece, refused));
  run.advance(300_us);
  CHECK(refused.find("is locked by node 2") != std::string::npos);
  run.unlock({2, 0}, last);
  refused.clear();
  run.spawn(free(run, piece, refused));
  run.advance(300_us);
  CHECK(refused.empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("more locks than SCOREBOARD has scores for are refused by their path") {
  Setup setup;
  setup.flowcc.locks.per_thread = 4096;  // of 8 threads
  CHECK_THROWS_WITH(Script(setup), Catch::Matchers::Contains("/protocol/flowcc/locks/per_thread") &&
                                       Catch::Matchers::Contains("no more than 4094"));
}

TEST_CASE("a locked block stays in the cache, and a miss that finds its bucket full of them ends with an error") {
  Setup setup;
  setup.flowcc.cache_bytes = 8 * 4096;  // one bucket
  setup.micro.shared_bytes = 16 * 4096;
  Script run(setup);
  run.lock({1, 0}, run.shared_block(0), LockMode::exclusive);
  for (std::uint64_t i = 1; i < 16; ++i) run.access({1, 1}, run.shared_block(i), true);
  CHECK(copy_at(run, 1, run.shared_block(0)) != nullptr);
  for (std::uint64_t i = 1; i < 8; ++i) run.lock({1, 0}, run.shared_block(i), LockMode::shared);
  const auto ninth = run.lock({1, 1}, run.shared_block(8), LockMode::shared);
  CHECK_FALSE(ninth.granted);
  CHECK(ninth.failure.find("its place in the cache is taken by blocks that are locked") != std::string::npos);
  for (std::uint64_t i = 0; i < 8; ++i) run.unlock({1, 0}, run.shared_block(i));
  CHECK(run.lock({1, 1}, run.shared_block(8), LockMode::shared).granted);
  run.unlock({1, 1}, run.shared_block(8));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("threads of a node share a shared lock by one request, and the last gives it back") {
  Setup setup;
  setup.micro.threads = 3;
  Script run(setup);
  const auto block = run.shared_block(0);
  run.lock({1, 0}, block, LockMode::shared);
  const std::uint64_t events = run.counter("events");
  run.lock({1, 1}, block, LockMode::shared);
  run.lock({1, 2}, block, LockMode::shared);
  CHECK(run.counter("events") == events);
  Script::Asked writer, reader;
  run.ask({2, 0}, block, LockMode::exclusive, writer);
  for (const std::uint16_t thread : {0, 2}) run.unlock({1, thread}, block);
  CHECK_FALSE(writer.over);
  run.ask({1, 2}, block, LockMode::exclusive, reader);  // a sibling waits here for the last of them
  run.advance(300_us);
  CHECK_FALSE(reader.over);
  run.unlock({1, 1}, block);
  run.advance(1_ms);
  CHECK((writer.granted || reader.granted));
  run.unlock(writer.granted ? models::Session{2, 0} : models::Session{1, 2}, block);
  run.advance(1_ms);
  CHECK((writer.granted && reader.granted));
  run.finish();  // whoever has it gives nothing back: that is a leak
  CHECK(run.found("stuck-request"));
}

TEST_CASE("threads of a node that try for a shared lock at once share one, and each gives its own back") {
  for (const Ownership owner : kOwners) {
    Script run(owned_by(owner));
    const auto block = run.shared_block(1);
    Script::Asked first, second;
    run.ask_to_try({2, 0}, block, LockMode::shared, first);
    run.ask_to_try({2, 1}, block, LockMode::shared, second);
    run.advance(100_us);
    REQUIRE(first.granted);
    REQUIRE(second.granted);
    CHECK(run.protocol->node(2).locks().held().size() == 1);
    CHECK(run.unlock({2, 1}, block) == "");
    CHECK_FALSE(run.try_lock({0, 0}, block, LockMode::exclusive).granted);
    CHECK(run.unlock({2, 0}, block) == "");
    CHECK(run.try_lock({0, 0}, block, LockMode::exclusive).granted);
    CHECK(run.unlock({0, 0}, block) == "");
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("a node hands a lock over to its own threads at most so many times in a row, in the order of asking") {
  for (const std::uint64_t most : {0, 1, 8}) {
    Setup setup;
    setup.micro.threads = 4;
    setup.flowcc.locks.local_handover = most;
    Script run(setup);
    const auto block = run.shared_block(0);
    run.lock({1, 0}, block, LockMode::exclusive);
    std::vector<Script::Asked> asked(3);
    for (std::uint16_t thread = 1; thread < 4; ++thread) {
      run.ask({1, thread}, block, LockMode::exclusive, asked[thread - 1]);
      run.advance(10_us);
    }
    const std::uint64_t granted = run.counter("locks.granted");
    for (std::uint16_t thread = 0; thread < 4; ++thread) {
      CHECK(run.unlock({1, thread}, block) == "");
      if (thread < 3) CHECK(asked[thread].granted);
      if (thread < 2) CHECK_FALSE(asked[thread + 1].granted);
    }
    INFO("at most " << most << " times");
    CHECK(run.counter("locks.handovers") == (most == 0 ? 0 : most == 1 ? 2 : 3));
    CHECK(run.counter("locks.granted") - granted == (most == 0 ? 3 : most == 1 ? 1 : 0));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("locks exclude each other whoever owns blocks, with loss, duplication and reordering, for 10 seeds") {
  using Mode = models::MicroOptions::Mode;
  for (const Ownership ownership : kOwners) {
    for (const Mode mode : {Mode::lock, Mode::lock_and_access, Mode::try_lock, Mode::try_lock_and_access}) {
      std::uint64_t granted = 0, handed_over = 0;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Setup setup = owned_by(ownership);
        setup.seed = seed;
        setup.rack.faults = lossy();
        setup.micro.mode = mode;
        setup.flowcc.locks.per_thread = seed % 2 == 0 ? 1 : 64;
        setup.flowcc.locks.local_handover = seed % 3;
        FlowCcRun run(setup);
        run.finish();
        INFO("seed " << seed << ", mode " << static_cast<int>(mode));
        REQUIRE(run.violations() == "");
        REQUIRE(run.protocol->measured_operations() >= *setup.plan.measure.operations);
        granted += run.counter("locks.granted");
        handed_over += run.counter("locks.handovers");
      }
      CHECK(granted > 0);
      if (mode == Mode::lock_and_access) CHECK(handed_over > 0);
    }
  }
}

TEST_CASE("without SCOREBOARD a request for a lock that is sent again locks itself out, and is stuck") {
  std::uint64_t stuck = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Setup setup;
    setup.seed = seed;
    setup.rack.faults = lossy();
    setup.micro.mode = models::MicroOptions::Mode::lock_and_access;
    setup.flowcc.scoreboard = false;
    setup.plan.drain = 1_ms;
    FlowCcRun run(setup);
    run.finish();
    if (!run.violations().empty()) ++stuck;
  }
  CHECK(stuck > 0);
}

}  // namespace block_locks_test
