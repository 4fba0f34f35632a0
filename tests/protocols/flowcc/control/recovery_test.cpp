// Recovery from a switch that loses its state (Concordia §5.4): nothing that was written is lost, each operation stays
// the one that its application began, and blocks migrate again. Without what the recovery keeps, writes are lost.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/protocols/flowcc/control/migration_run.hpp"

namespace flowcc_recovery_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

constexpr const char* kFailures[] = {"200us", "1100us", "2000us", "2900us"};

/// Many a WRITE-MISS reaches the switch 600 us late, after a recovery that began when it was sent.
Setup holding_requests_back(Setup setup) {
  setup.add_fault("hold", R"({"direction": "to_switch", "header": "flowcc", "field": "type", "value": 2, "first": 2,
                              "count": 100, "every": 5, "delay": "600us"})");
  return setup;
}

/// Whether some seed breaks something, with one of the recovery's parts off. The switch fails often.
bool breaks_within(std::uint64_t seeds, bool RecoveryOptions::*part, bool late_packets = false) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Setup setup = late_packets ? holding_requests_back(migrating(seed)) : migrating(seed);
    for (const char* from : kFailures) setup = losing_switch(setup, from);
    setup.flowcc.recovery.*part = false;
    MigratingRun run(setup);
    run.finish();
    if (!run.violations().empty()) return true;
  }
  return false;
}

/// What caches hold of each block, as the metadata of an owner should say.
std::map<Tag, GlobalMetadata> what_caches_hold(FlowCc& protocol, unsigned nodes) {
  std::map<Tag, GlobalMetadata> held;
  for (NodeId node = 0; node < nodes; ++node) {
    for (const CacheEntry& entry : protocol.node(node).cache().entries()) {
      if (!entry.valid()) continue;
      GlobalMetadata& metadata = held[entry.tag];
      const bool dirty = entry.state == CacheEntry::State::dirty;
      metadata = {dirty ? GlobalStatus::modified : GlobalStatus::shared, metadata.copyset | node_bit(node)};
    }
  }
  return held;
}

}  // namespace

TEST_CASE("a switch that loses its state loses no write, and blocks migrate into it again, for 20 seeds") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MigratingRun run(losing_switch(migrating(seed)));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") == 1);
    CHECK(run.counter("recovery.reported") > 0);
    CHECK(run.migration_counter("added") > 20);
    REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
  }
}

TEST_CASE("the same with loss, duplication and packets that are held back over the recovery, for 20 seeds") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MigratingRun run(losing_switch(harshly_migrating(seed)));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") == 1);
  }
}

TEST_CASE("requests that reach the switch after the recovery are of no incarnation of its, for 10 seeds") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Setup setup = holding_requests_back(migrating(seed));
    for (const char* from : kFailures) setup = losing_switch(setup, from);
    MigratingRun run(setup);
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
  }
}

TEST_CASE("when all go on after a switch failure homes own all blocks, as the caches tell, for 20 seeds",
          "[claim:concordia-inv-recovery-ownership]") {
  constexpr unsigned kNodes = 4;
  std::uint64_t managed = 0, dirty = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Setup setup = losing_switch(migrating(seed));
    setup.flowcc.recovery.rest = 200_us;
    MigratingRun run(setup);
    run.advance_to(sim::Time{} + 499_us);
    std::vector<Tag> before;
    run.protocol->switch_owner().visit_blocks([&](Tag tag) { before.push_back(tag); });
    run.advance_to(sim::Time{} + 570_us);
    const std::uint64_t moved = run.migration_counter("adds");
    const auto stopped = [&](NodeId node) { return run.protocol->node(node).stopped(); };
    REQUIRE(stopped(0));
    while (stopped(0) && stopped(1) && stopped(2) && stopped(3)) run.advance(100_ns);
    // Work is done all along, and what is not modelled takes as long as it is said to.
    CHECK(run.calendar.now() > sim::Time{} + 750_us);

    // No access has been over the network since, nor has an epoch's end given anything to the switch.
    REQUIRE(run.migration_counter("adds") == moved);
    std::uint64_t in_switch = 0, away = 0;
    run.protocol->switch_owner().visit_blocks([&](Tag) { ++in_switch; });
    for (NodeId node = 0; node < kNodes; ++node) {
      run.protocol->node(node).home_agent().migration().visit_away([&](Tag) { ++away; });
    }
    CHECK(in_switch == 0);
    CHECK(away == 0);
    auto held = what_caches_hold(*run.protocol, kNodes);
    for (const Tag tag : before) held.try_emplace(tag);
    for (const auto& [tag, metadata] : held) {
      const auto home = static_cast<NodeId>(tag >> (models::GlobalAddress::kOffsetBits - 12));
      REQUIRE(run.protocol->node(home).home_agent().directory().metadata(tag) == metadata);
      dirty += metadata.status == GlobalStatus::modified ? 1 : 0;
    }
    managed += before.size();
    run.finish();
    REQUIRE(run.violations() == "");
  }
  CHECK(managed > 20);
  CHECK(dirty > 20);
}

TEST_CASE("while the switch is off nothing is sent again") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Setup setup = losing_switch(migrating(seed), "500us", "20ms");
    setup.plan.stall = 100_ms;
    MigratingRun run(setup);
    const auto sent_again = [&] {
      return run.counter("request_retransmissions") + run.counter("unlock_retransmissions") +
             run.migration_counter("retransmissions");
    };
    run.advance_to(sim::Time{} + 600_us);
    run.protocol->recovery()->look();
    run.advance_to(sim::Time{} + 1_ms);  // all have been told
    const std::uint64_t before = sent_again();
    run.advance_to(sim::Time{} + 20_ms);
    INFO("seed " << seed);
    CHECK(sent_again() == before);
    CHECK(run.protocol->node(0).stopped());
  }
}

TEST_CASE("a switch that fails again during the recovery has it begin again") {
  // The second boot comes at every step of the first recovery, some 100 us long.
  std::uint64_t saved = 0;
  for (int after = 0; after < 40; ++after) {
    Setup setup = losing_switch(migrating(3 + static_cast<std::uint64_t>(after)), "500us", "20us");
    setup = losing_switch(setup, std::to_string(525 + 3 * after) + "us", "20us");
    MigratingRun run(setup);
    run.finish();
    INFO("second failure " << 5 + 3 * after << " us after the first boot");
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") >= 1);
    saved += run.counter("recovery.saved");
  }
  CHECK(saved > 0);
}

TEST_CASE("a control CPU a thousand times slower makes a recovery longer and nothing else, also if one fails in it") {
  for (const bool again : {false, true}) {
    Setup setup = losing_switch(harshly_migrating(5));
    if (again) setup = losing_switch(setup, "50ms");
    setup.add_fault("control-delay", R"({"from": "500us", "until": "5s", "factor": 1000, "added": "1ms"})");
    setup.plan.stall = 5_s;
    MigratingRun run(setup);
    run.finish();
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") >= 1);
    // A millisecond for each array and for three table entries a node, of each of two pipes; and once more.
    CHECK(run.counter("recovery.time") > (again ? 100'000'000u : 50'000'000u));
    REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
  }
}

TEST_CASE("four failures in a row are survived, with harsh faults between them, for 10 seeds") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Setup setup = harshly_migrating(seed);
    for (const char* from : kFailures) setup = losing_switch(setup, from);
    MigratingRun run(setup);
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") >= 2);
  }
}

TEST_CASE("without write-backs that are sent again a switch failure loses writes within 100 seeds") {
  CHECK(breaks_within(100, &RecoveryOptions::write_backs));
}

TEST_CASE("without the blocks that agents have given away a switch failure loses writes within 100 seeds") {
  CHECK(breaks_within(100, &RecoveryOptions::given_away));
}

TEST_CASE("without incarnations packets from before a switch failure do harm within 200 seeds") {
  CHECK(breaks_within(200, &RecoveryOptions::incarnations, true));
}

}  // namespace flowcc_recovery_test
