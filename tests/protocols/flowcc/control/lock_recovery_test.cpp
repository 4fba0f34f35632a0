// Locks of blocks over recoveries (protocols/flowcc/control/recovery.hpp): those of living threads stay, those of the
// dead are freed, and the next holder is told.
#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/flowcc/control/lock_recovery_run.hpp"

namespace lock_recovery_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using models::LockMode;
using Mode = models::MicroOptions::Mode;

namespace {

using Script = LockRecovery;

/// Random locks and accesses, with blocks that move all the time.
Setup locking(std::uint64_t seed, Mode mode) {
  Setup setup = migrating(seed);
  setup.micro.mode = mode;
  setup.flowcc.locks.local_handover = seed % 3;
  setup.flowcc.recovery.membership.lease = 60_us;
  return setup;
}

}  // namespace

TEST_CASE("locks of both kinds stay with their holders over a switch failure, and are given back afterwards") {
  Script run(losing_switch(at_rest(), "2ms", "100us"));
  const auto written = at_home(0, 0), read = at_home(2, 1), dirty = at_home(0, 3);
  run.lock({1, 0}, written, LockMode::exclusive);
  run.lock({1, 0}, read, LockMode::shared);
  run.lock({3, 0}, read, LockMode::shared);
  run.access({3, 1}, dirty, true);
  run.lock({3, 1}, dirty, LockMode::shared);  // which was written home
  run.advance_to(sim::Time{} + 4_ms);
  REQUIRE(run.counter("recovery.recoveries") == 1);
  CHECK_FALSE(run.try_lock({2, 0}, written, LockMode::shared).granted);
  CHECK_FALSE(run.try_lock({2, 0}, read, LockMode::exclusive).granted);
  CHECK_FALSE(run.try_lock({2, 0}, dirty, LockMode::exclusive).granted);
  CHECK(run.try_lock({2, 0}, read, LockMode::shared).granted);
  run.access({1, 1}, written, true);
  CHECK(run.unlock({1, 0}, written) == "");
  CHECK(run.try_lock({2, 0}, written, LockMode::exclusive).granted);
  for (const models::Session holder : {models::Session{1, 0}, models::Session{3, 0}, models::Session{2, 0}}) {
    CHECK(run.unlock(holder, read) == "");
  }
  CHECK(run.try_lock({0, 0}, read, LockMode::exclusive).granted);
  CHECK(run.unlock({3, 1}, dirty) == "");
  CHECK(run.unlock({0, 0}, read) == "");
  CHECK(run.unlock({2, 0}, written) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the lock of a dead thread is free after the recovery, and its next holder, and no other, is told") {
  Script run(crashing(at_rest(), 2, "2ms"));
  const auto of_dead = at_home(0, 0), of_living = at_home(0, 1);
  run.lock({2, 0}, of_dead, LockMode::exclusive);
  run.lock({1, 0}, of_living, LockMode::exclusive);
  Script::Asked asked;
  run.ask({3, 0}, of_dead, LockMode::exclusive, asked);
  run.advance_to(sim::Time{} + 1999_us);
  CHECK_FALSE(asked.over);
  run.advance_to(sim::Time{} + 3_ms);
  REQUIRE(asked.granted);
  CHECK(run.protocol->holder_died({3, 0}, of_dead));
  CHECK_FALSE(run.protocol->holder_died({1, 0}, of_living));
  CHECK_FALSE(run.try_lock({3, 0}, of_living, LockMode::shared).granted);
  run.unlock({3, 0}, of_dead);
  run.unlock({1, 0}, of_living);
  CHECK(run.lock({1, 0}, of_dead, LockMode::shared).granted);
  CHECK_FALSE(run.protocol->holder_died({1, 0}, of_dead));
  run.unlock({1, 0}, of_dead);
  CHECK(run.counter("locks.after_death") == 1);
  CHECK(run.oracle("told-of-death").judged() == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the unlock of a lock that is older than a recovery names no copies of the dead") {
  Script run(crashing(at_rest(), 2, "2ms"));
  const auto block = at_home(0, 0);
  run.access({2, 0}, block, false);
  run.lock({1, 0}, block, LockMode::shared);  // beside the copy of node 2
  run.advance_to(sim::Time{} + 3_ms);
  REQUIRE(run.counter("recovery.recoveries") == 1);
  CHECK(run.unlock({1, 0}, block) == "");
  run.advance(100_us);
  sim::Time written = sim::Time::max();
  run.begin({3, 0}, block, true, &written);
  run.advance(300_us);
  CHECK(written < run.calendar.now());  // no invalidation waits for node 2
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a lock of a dead home's block is kept, can be given back while it is down, and excludes when it is back") {
  Script run(crashing(at_rest(), 0, "2ms", "4ms"));
  const auto given_back = at_home(0, 0), kept = at_home(0, 1), wanted = at_home(0, 2);
  run.lock({1, 0}, given_back, LockMode::exclusive);
  run.lock({1, 0}, kept, LockMode::exclusive);
  run.advance_to(sim::Time{} + 3_ms);
  CHECK(run.unlock({1, 0}, given_back) == "");
  CHECK(run.lock({2, 0}, wanted, LockMode::shared).failure.find("its home, node 0, is down") != std::string::npos);
  run.advance_to(sim::Time{} + 6_ms);
  REQUIRE(run.counter("recovery.recoveries") == 2);
  CHECK_FALSE(run.try_lock({2, 0}, kept, LockMode::shared).granted);
  CHECK(run.try_lock({2, 0}, given_back, LockMode::exclusive).granted);
  CHECK(run.unlock({1, 0}, kept) == "");
  CHECK(run.unlock({2, 0}, given_back) == "");
  CHECK(run.try_lock({0, 0}, kept, LockMode::exclusive).granted);
  CHECK(run.unlock({0, 0}, kept) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the unlock of a block whose home is gone for good leaves nothing behind") {
  Script run(crashing(at_rest(), 0, "2ms"));
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 3_ms);
  CHECK(run.unlock({1, 0}, block) == "");
  CHECK(run.lock({1, 0}, block, LockMode::shared).failure.find("its home, node 0, is down") != std::string::npos);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a block that is locked neither leaves its home for the switch nor comes back before it is unlocked") {
  Setup setup = migrating(1);
  setup.micro.shared_bytes = 4 * 4096;
  Script run(setup);
  const auto block = at_home(1, 0);
  const Tag tag = run.protocol->block_of(block);
  run.lock({2, 0}, block, LockMode::exclusive);
  for (int i = 0; i < 20; ++i) run.access({static_cast<NodeId>(i % 2), 0}, at_home(1, 1), true);
  CHECK_FALSE(run.protocol->switch_owner().metadata(tag));
  CHECK(run.unlock({2, 0}, block) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a hot block whose lock an application has is skipped, and others may read it meanwhile") {
  Setup setup = migrating(1);
  setup.flowcc.migration.skips = 1;  // then a block that is locked by events takes no new holders
  Script run(setup);
  const auto block = at_home(1, 0);
  run.access({0, 0}, block, true);
  run.lock({2, 0}, block, LockMode::shared);  // which is heat, for it takes the block from its writer
  run.advance(100_us);                        // past the end of the epoch
  CHECK(run.counter("migration.skips") == 1);
  CHECK(run.counter("migration.drains") == 0);
  sim::Time read_ended = sim::Time::max();
  run.begin({3, 0}, block, false, &read_ended);
  run.advance(300_us);
  CHECK(read_ended < run.calendar.now());
  CHECK(run.unlock({2, 0}, block) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("locks exclude each other while blocks change owners, on a harsh network, for 10 seeds of each mode") {
  for (const Mode mode : {Mode::lock, Mode::lock_and_access, Mode::try_lock_and_access}) {
    std::uint64_t added = 0, granted = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Setup setup = locking(seed, mode);
      setup.rack.faults = harshly_migrating(seed).rack.faults;
      MigratingRun run(setup);
      run.finish();
      INFO("seed " << seed);
      REQUIRE(run.violations() == "");
      REQUIRE(run.protocol->measured_operations() >= *setup.plan.measure.operations);
      added += run.migration_counter("added");
      granted += run.counter("locks.granted");
    }
    CHECK(added > 0);
    CHECK(granted > 0);
  }
}

TEST_CASE("and while the switch fails and nodes crash, for 20 seeds") {
  std::uint64_t after_death = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Setup setup = locking(seed, seed % 2 == 0 ? Mode::lock : Mode::lock_and_access);
    setup = crashing(losing_switch(setup, "400us", "100us"), 1, "900us", "1500us");
    setup = crashing(losing_switch(setup, "2ms", "100us"), 2, "2050us", "2700us");
    MigratingRun run(setup);
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") > 2);
    REQUIRE(run.protocol->measured_operations() >= *setup.plan.measure.operations);
    after_death += run.counter("locks.after_death");
  }
  CHECK(after_death > 0);
}

TEST_CASE("where homes are not told of the locks that are held, critical sections overlap") {
  Setup setup = losing_switch(at_rest(), "2ms", "100us");
  setup.flowcc.recovery.locks = false;
  Script run(setup);
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 4_ms);
  REQUIRE(run.counter("recovery.recoveries") == 1);
  CHECK(run.try_lock({2, 0}, block, LockMode::exclusive).granted);
  run.unlock({2, 0}, block);
  run.unlock({1, 0}, block);
  run.finish();
  CHECK(run.found("mutual-exclusion"));
}

}  // namespace lock_recovery_test
