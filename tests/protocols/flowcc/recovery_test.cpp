// Recovery from a switch that loses its state (Concordia §5.4): nothing that was written is lost, each operation stays
// the one that its application began, and blocks migrate again. Without what the recovery keeps, writes are lost.
#include <catch2/catch.hpp>
#include <string>

#include "tests/protocols/flowcc/migration_run.hpp"

namespace flowcc_recovery_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

Setup losing_switch(Setup setup, const std::string& from = "500us", const std::string& dead_time = "50us") {
  setup.add_fault("switch-restart", R"({"from": ")" + from + R"(", "dead_time": ")" + dead_time + R"("})");
  return setup;
}

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

TEST_CASE("a switch that fails again during the recovery has it begin again") {
  // The second boot comes at every step of the first recovery, some 100 us long.
  std::uint64_t saved = 0;
  for (int after = 0; after < 40; ++after) {
    Setup setup = losing_switch(migrating(3), "500us", "20us");
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
