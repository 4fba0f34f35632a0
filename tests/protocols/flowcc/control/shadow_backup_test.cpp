// The shadow node fails and another takes over (protocols/flowcc/control/shadow_succession.hpp): it learns from the
// switch which blocks that has, cold ones move out again, and however many take themselves for the shadow node, nothing
// is broken.
#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/flowcc/control/migration_run.hpp"

namespace shadow_backup_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

/// The server of the shadow node's own.
constexpr unsigned kShadow = 4;

Setup with_leases(Setup setup) {
  setup.flowcc.recovery.membership.lease = 60_us;
  return setup;
}

std::string after(int first, int microseconds) {
  return std::to_string(first + microseconds) + "us";
}

class BackupRun : public MigratingRun {
 public:
  using MigratingRun::MigratingRun;
  std::uint64_t in_switch() const {
    std::uint64_t blocks = 0;
    protocol->switch_owner().visit_blocks([&](Tag) { ++blocks; });
    return blocks;
  }
  std::uint64_t places() const { return setup.flowcc.ways * setup.flowcc.entries_per_way; }
  const ShadowNode& shadow_on(NodeId server) const { return *protocol->shadows()->on(server); }
};

/// What is left of a run whose shadow node crashes for good at 500 us.
struct Aftermath {
  std::uint64_t moved_out = 0;
  std::uint64_t most_free = 0;  ///< of the switch's places, when looked at in the second millisecond
  std::uint64_t takeovers = 0;
};

Aftermath after_shadow_crash(const Setup& setup) {
  BackupRun run(crashing(setup, kShadow, "500us"));
  run.advance_to(sim::Time{} + 1_ms);
  Aftermath aftermath;
  const std::uint64_t before = run.migration_counter("removed");
  for (int look = 0; look < 20; ++look) {
    run.advance(50_us);
    aftermath.most_free = std::max(aftermath.most_free, run.places() - run.in_switch());
  }
  run.finish();
  CHECK(run.violations() == "");
  aftermath.moved_out = run.migration_counter("removed") - before;
  aftermath.takeovers = run.counter("shadow.takeovers");
  return aftermath;
}

void passes(const Setup& setup) {
  BackupRun run(setup);
  run.finish();
  REQUIRE(run.violations() == "");
  REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
}

}  // namespace

TEST_CASE("when the shadow node crashes a backup keeps places free, and blocks go on moving, for 10 seeds") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Setup setup = migrating(seed);
    setup.measure(3'000);
    const Aftermath aftermath = after_shadow_crash(setup);
    CHECK(aftermath.takeovers == 1);
    CHECK(aftermath.moved_out > 20);
    CHECK(aftermath.most_free >= 4);  // half of the places (free_share)
  }
}

TEST_CASE("without a backup the switch fills when the shadow node crashes, and no block moves out any more") {
  Setup setup = migrating(1);
  setup.measure(3'000);
  setup.flowcc.shadow.backup = false;
  const Aftermath aftermath = after_shadow_crash(setup);
  CHECK(aftermath.takeovers == 0);
  CHECK(aftermath.moved_out == 0);
  CHECK(aftermath.most_free == 0);
}

TEST_CASE("without a backup the shadow node goes on when its server is back") {
  Setup setup = migrating(1);
  setup.measure(3'000);
  setup.flowcc.shadow.backup = false;
  BackupRun run(crashing(setup, kShadow, "500us", "1500us"));
  run.advance_to(sim::Time{} + 1500_us);
  CHECK(run.protocol->shadows()->present() == std::nullopt);
  const std::uint64_t before = run.migration_counter("removed");
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.protocol->shadows()->present() == kShadow);
  CHECK(run.counter("shadow.takeovers") == 1);
  CHECK(run.migration_counter("removed") > before);
}

TEST_CASE("a backup learns of each block in the switch from the TAG arrays, when the lease is over") {
  Setup setup = with_leases(migrating(1));
  setup.flowcc.migration.listed = 0;
  setup.flowcc.shadow.free_share = 0;
  BackupRun run(setup);
  run.advance_to(sim::Time{} + 1_ms);
  run.heal();
  run.advance(200_us);  // from now on nobody tells of anything
  run.rack.crash(kShadow);
  const std::uint64_t blocks = run.in_switch();
  REQUIRE(blocks > 2);
  CHECK_FALSE(run.shadow_on(0).serves());
  run.advance(40_us);
  CHECK(run.protocol->shadows()->present() == kShadow);
  run.advance(160_us);
  CHECK(run.protocol->shadows()->present() == 0);
  CHECK(run.shadow_on(0).known() == blocks);
  CHECK(run.counter("shadow.tags_read") == run.places());
  CHECK_FALSE(run.shadow_on(kShadow).serves());
}

TEST_CASE("reading the TAG arrays takes the control CPU an operation a place") {
  Setup setup = migrating(1);
  setup.flowcc.entries_per_way = 2048;  // of 2 ways
  setup.measure(10'000);
  BackupRun run(crashing(setup, kShadow, "100us"));
  run.advance_to(sim::Time{} + 4_ms);  // a million operations a second
  CHECK(run.counter("shadow.takeovers") == 1);
  CHECK(run.counter("shadow.tags_read") <= 4096);
  CHECK(run.shadow_on(0).serves());
  const auto busy_until = run.calendar.now();
  while (run.rack.control_cpu().outstanding() > 0) run.advance(10_us);
  CHECK(run.calendar.now() > busy_until);
  run.advance(20_us);
  CHECK(run.counter("shadow.tags_read") == 4096);
}

TEST_CASE("the shadow node crashes and comes back, twice, on a harsh network, for 20 seeds") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    passes(crashing(crashing(harshly_migrating(seed), kShadow, "400us", "700us"), kShadow, "900us", "1500us"));
  }
}

TEST_CASE("one crash after the other takes the shadow node and its backups, whatever the step of the takeover") {
  for (int i = 0; i < 40; ++i) {
    const std::string second = after(500, 5 * i);
    INFO("backup crashes at " << second);
    passes(crashing(crashing(migrating(3), kShadow, "500us"), 0, second, "1200us"));
  }
}

TEST_CASE("the shadow node crashes while nodes and the switch are being recovered from, and the other way round") {
  for (int i = -20; i < 30; ++i) {
    const std::string instant = after(600, 5 * i);
    INFO("shadow node crashes at " << instant);
    passes(crashing(crashing(migrating(4), 1, "500us", "1200us"), kShadow, instant, "1500us"));
    passes(crashing(losing_switch(migrating(5), "600us", "20us"), kShadow, instant));
  }
}

TEST_CASE("a shadow node on a memory node fails with it: all recover, and a backup takes over, for 20 seeds") {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Setup setup = migrating(seed);
    setup.rack.nodes = 4;
    setup.flowcc.shadow.node = 2;
    BackupRun run(crashing(setup, 2, "500us", seed % 2 == 0 ? "900us" : ""));
    run.advance_to(sim::Time{} + 800_us);
    CHECK(run.protocol->shadows()->present() == 0);
    const std::uint64_t before = run.migration_counter("removed");
    run.finish();
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") == (seed % 2 == 0 ? 2 : 1));
    CHECK(run.protocol->shadows()->present() == 0);
    moved += run.migration_counter("removed") - before;
  }
  CHECK(moved > 20 * 20);
}

TEST_CASE("the printed recovery from nodes takes a shadow node's failure too") {
  Setup setup = migrating(1);
  setup.flowcc.recovery.of_nodes = RecoveryOptions::OfNodes::printed;
  BackupRun run(crashing(setup, kShadow, "500us", "900us"));
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.counter("shadow.takeovers") == 1);
  CHECK(run.protocol->shadows()->present() == 0);
}

TEST_CASE("two shadow nodes at once, one of them suspected without cause, do no harm, for 20 seeds") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Setup setup = with_leases(harshly_migrating(seed));
    setup.add_fault("isolation", R"({"node": 4, "from": "300us"})");
    BackupRun run(setup);
    run.advance_to(sim::Time{} + 600_us);
    CHECK(run.shadow_on(kShadow).serves());
    CHECK(run.shadow_on(0).serves());
    run.finish();
    REQUIRE(run.violations() == "");
    CHECK(run.counter("shadow.takeovers") == 1);
    CHECK_FALSE(run.shadow_on(kShadow).serves());  // it was told at the end, when faults were healed
  }
}

TEST_CASE("a shadow node that comes back stands by, and is it again when the present one fails") {
  Setup setup = crashing(migrating(1), kShadow, "300us", "600us");
  setup.measure(4'000);
  BackupRun run(crashing(setup, 0, "1200us"));
  run.advance_to(sim::Time{} + 1_ms);
  CHECK(run.protocol->shadows()->present() == 0);
  CHECK_FALSE(run.shadow_on(kShadow).serves());
  run.advance_to(sim::Time{} + 1800_us);
  CHECK(run.protocol->shadows()->present() == kShadow);
  CHECK(run.shadow_on(kShadow).serves());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("where a backup is named no other takes over, and the first that comes back is the shadow node") {
  Setup setup = migrating(1);
  setup.flowcc.shadow.backup_node = 2;
  setup = crashing(crashing(setup, kShadow, "300us"), 2, "600us", "1ms");
  BackupRun run(setup);
  run.advance_to(sim::Time{} + 500_us);
  CHECK(run.protocol->shadows()->present() == 2);
  run.advance_to(sim::Time{} + 900_us);
  CHECK(run.protocol->shadows()->present() == std::nullopt);
  run.finish();
  CHECK(run.violations() == "");
  CHECK(run.protocol->shadows()->present() == 2);
  CHECK(run.shadow_on(2).serves());
}

TEST_CASE("a backup needs a memory node, and a core of it") {
  Setup nowhere = migrating(1);
  nowhere.flowcc.shadow.backup_node = kShadow;
  CHECK(refusal(nowhere) == "/protocol/flowcc/shadow/backup_node");
  Setup crowded = migrating(1);
  crowded.micro.threads = 6;
  CHECK(refusal(crowded) == "/workload/threads");
  crowded.flowcc.shadow.backup = false;
  CHECK(refusal(crowded) == "accepted");
}

}  // namespace shadow_backup_test
