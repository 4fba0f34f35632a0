// How whoever gets the lock of a dead thread learns of that (protocols/flowcc/node/lock_log.hpp): from a log that the
// holder's witness keeps, by the home, with the grant. Of the four memory nodes each has the next one as its witness.
#include <catch2/catch.hpp>

#include "tests/protocols/flowcc/control/lock_recovery_run.hpp"

namespace lock_log_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using models::LockMode;
using Script = LockRecovery;

namespace {

/// Whether a thread that locks a block alone is told of a death; it gives the lock back.
bool told(Script& run, models::Session session, models::GlobalAddress block) {
  REQUIRE(run.lock(session, block, LockMode::exclusive).granted);
  const bool told = run.protocol->holder_died(session, block);
  CHECK(run.unlock(session, block) == "");
  return told;
}

}  // namespace

TEST_CASE(
    "each lock that an owner grants is written to the log of another node and taken out again, hand-overs are not") {
  Setup setup = at_rest();
  setup.flowcc.locks.local_handover = 1;
  Script run(setup);
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  CHECK(run.counter("locks.log_writes") == 1);
  CHECK(run.protocol->node(2).lock_log().has(run.protocol->node(1).locks().held().front().number->number().number(),
                                             run.protocol->block_of(block)));
  Script::Asked sibling;
  run.ask({1, 1}, block, LockMode::exclusive, sibling);
  run.advance(100_us);
  CHECK(run.unlock({1, 0}, block) == "");
  REQUIRE(sibling.granted);
  CHECK(run.counter("locks.log_writes") == 1);
  CHECK(run.unlock({1, 1}, block) == "");
  CHECK(run.counter("locks.log_writes") == 2);
  run.protocol->node(2).lock_log().visit([](unsigned, Tag) { FAIL("something is left in the log"); });
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("no lock is logged where no node is recovered, or that is off") {
  Setup setup = at_rest();
  SECTION("as printed") {
    setup.flowcc.recovery.of_nodes = RecoveryOptions::OfNodes::printed;
  }
  SECTION("off") {
    setup.flowcc.locks.log = false;
  }
  SECTION("at home") {
    setup.flowcc.ownership = FlowCcOptions::Ownership::home;
  }
  LockScript<FlowCcScript> run(setup);
  run.lock({1, 0}, at_home(0, 0), LockMode::exclusive);
  CHECK(run.unlock({1, 0}, at_home(0, 0)) == "");
  CHECK(run.counter("locks.log_writes") == 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a lock is the application's only when the log has it, and another's only when the log has it no more") {
  Script run(crashing(at_rest(), 2, "2ms"));
  const auto asked_for = at_home(0, 0), held = at_home(0, 1);
  run.lock({1, 0}, held, LockMode::exclusive);
  run.advance_to(sim::Time{} + 2001_us);  // the witness of node 1 is dead, which nobody knows
  Script::Asked own, other;
  run.ask({1, 1}, asked_for, LockMode::exclusive, own);
  run.spawn(run.protocol->unlock({1, 0}, held), 1);
  run.ask({3, 0}, held, LockMode::exclusive, other);
  run.advance_to(sim::Time{} + 2030_us);
  CHECK_FALSE(own.over);
  CHECK_FALSE(other.over);
  run.advance_to(sim::Time{} + 3_ms);
  REQUIRE(run.counter("recovery.recoveries") == 1);
  CHECK(own.granted);
  CHECK(other.granted);
  CHECK(run.unlock({1, 1}, asked_for) == "");
  CHECK(run.unlock({3, 0}, held) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a thread that waits for a lock that its node has yet to log waits for the log too") {
  Script run(crashing(at_rest(), 2, "2ms"));
  const auto block = at_home(0, 0);
  run.advance_to(sim::Time{} + 2001_us);
  Script::Asked first, second;
  run.ask({1, 0}, block, LockMode::shared, first);
  run.ask({1, 1}, block, LockMode::shared, second);
  run.advance_to(sim::Time{} + 2030_us);
  CHECK_FALSE(second.over);
  run.advance_to(sim::Time{} + 3_ms);
  CHECK(first.granted);
  CHECK(second.granted);
  CHECK(run.unlock({1, 0}, block) == "");
  CHECK(run.unlock({1, 1}, block) == "");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("who has another witness since its own has died has its locks in that one's log") {
  Script run(crashing(crashing(at_rest(), 2, "2ms"), 1, "4ms"));
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 5_ms);
  REQUIRE(run.counter("recovery.recoveries") == 2);
  CHECK(told(run, {3, 0}, block));
  CHECK_FALSE(told(run, {0, 0}, block));
  CHECK(run.oracle("told-of-death").judged() == 1);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a witness that comes back between holder and witness takes over") {
  Script run(crashing(crashing(at_rest(), 2, "2ms", "3ms"), 1, "5ms"));
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 4_ms);
  REQUIRE(run.counter("recovery.recoveries") == 2);
  CHECK(run.protocol->node(1).lock_log().witness() == NodeId{2});
  run.protocol->node(3).lock_log().visit([](unsigned, Tag) { FAIL("the old witness has forgotten nothing"); });
  run.advance_to(sim::Time{} + 6_ms);
  CHECK(told(run, {3, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a home that was down, as the holder itself, hears of its orphans when it is back") {
  Script run(crashing(at_rest(), 0, "2ms", "4ms"));
  const auto block = at_home(0, 0);
  run.lock({0, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 5_ms);
  REQUIRE(run.counter("recovery.recoveries") == 2);
  CHECK(told(run, {3, 0}, block));
  CHECK_FALSE(told(run, {2, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a home that dies with what it knew of an orphan hears of it again") {
  Script run(crashing(crashing(at_rest(), 1, "2ms"), 0, "3ms", "4ms"));
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 5_ms);
  REQUIRE(run.counter("recovery.recoveries") == 3);
  CHECK(told(run, {3, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a home that knows of an orphan needs the witness no more") {
  Script run(crashing(crashing(at_rest(), 1, "2ms"), 2, "3ms"));
  const auto block = at_home(0, 0);
  run.lock({1, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 4_ms);
  REQUIRE(run.counter("recovery.recoveries") == 2);
  CHECK(told(run, {3, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("accesses tell nobody of a death, and leave it to be told") {
  Script run(crashing(at_rest(), 2, "2ms"));
  const auto block = at_home(0, 0);
  run.lock({2, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 3_ms);
  run.access({1, 0}, block, false);
  run.access({3, 0}, block, true);
  CHECK(told(run, {1, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("if who was told dies with the lock too the next one is told") {
  Script run(crashing(crashing(at_rest(), 2, "2ms"), 1, "4ms"));
  const auto block = at_home(0, 0);
  run.lock({2, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 3_ms);
  run.lock({1, 0}, block, LockMode::exclusive);
  CHECK(run.protocol->holder_died({1, 0}, block));
  run.advance_to(sim::Time{} + 5_ms);
  CHECK(told(run, {3, 0}, block));
  CHECK_FALSE(told(run, {0, 0}, block));
  CHECK(run.oracle("told-of-death").judged() == 2);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("of two that shared a lock and died the next holder is told once") {
  Script run(crashing(crashing(at_rest(), 1, "2ms"), 2, "2ms"));
  const auto block = at_home(0, 0);
  run.lock({2, 0}, block, LockMode::shared);
  run.lock({1, 0}, block, LockMode::shared);
  run.advance_to(sim::Time{} + 3_ms);
  CHECK(told(run, {3, 0}, block));
  CHECK_FALSE(told(run, {0, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("an orphan does not move into the switch before somebody has been told") {
  Setup setup = crashing(migrating(1), 2, "2ms");
  setup.micro.shared_bytes = 4 * 4096;
  setup.flowcc.migration.skips = 1;
  Script run(setup);
  const auto block = at_home(0, 0);
  const Tag tag = run.protocol->block_of(block);
  run.lock({2, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 3_ms);
  const auto heat = [&] {
    for (int i = 0; i < 20; ++i) run.access({static_cast<NodeId>(i % 2), 0}, block, true);
  };
  heat();
  CHECK_FALSE(run.protocol->switch_owner().metadata(tag));
  CHECK(run.counter("migration.drains") == 0);
  CHECK(told(run, {1, 0}, block));
  heat();
  CHECK(run.counter("migration.added") > 0);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("if holder and witness have died nobody is told, which the oracle knows; without logs it complains") {
  Setup setup = crashing(at_rest(), 2, "2ms");
  const bool logs = GENERATE(true, false);
  setup.flowcc.locks.log = logs;
  if (logs) setup = crashing(setup, 3, "2ms");
  Script run(setup);
  const auto block = at_home(0, 0);
  run.lock({2, 0}, block, LockMode::exclusive);
  run.advance_to(sim::Time{} + 3_ms);
  CHECK_FALSE(told(run, {1, 0}, block));
  run.finish();
  CHECK(run.found("told-of-death") == !logs);
}

TEST_CASE("a node that is alone has no witness, and its locks are nobody's when it dies") {
  Setup setup = at_rest();
  setup.rack.nodes = 3;
  Script run(crashing(crashing(setup, 1, "2ms"), 0, "4ms", "5ms"));
  const auto block = at_home(0, 0);
  run.advance_to(sim::Time{} + 3_ms);
  run.lock({0, 0}, block, LockMode::exclusive);
  CHECK(run.counter("locks.log_writes") == 0);
  run.advance_to(sim::Time{} + 6_ms);
  CHECK_FALSE(told(run, {0, 0}, block));
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace lock_log_test
