// Recovery from nodes that crash (protocols/flowcc/recovery.hpp): the others go on, what is lost is what nobody living
// had, no more, and a node that comes back gets what is left of its blocks.
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocols/flowcc/migration_run.hpp"

namespace node_recovery_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

Setup with_leases(Setup setup) {
  setup.flowcc.recovery.membership.lease = 60_us;
  return setup;
}

Setup crashing(Setup setup, unsigned node, const std::string& from, const std::string& until = "") {
  const std::string end = until.empty() ? R"("stays_down": true)" : R"("until": ")" + until + "\"";
  setup.add_fault("crash", R"({"node": )" + std::to_string(node) + R"(, "from": ")" + from + "\", " + end + "}");
  return with_leases(std::move(setup));
}

bool breaks_within(std::uint64_t seeds, bool RecoveryOptions::*part) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Setup setup = crashing(migrating(seed), 1, "300us", "700us");
    setup = crashing(setup, 2, "1100us", "1500us");
    setup = crashing(setup, 0, "1900us", "2300us");
    setup.flowcc.recovery.*part = false;
    MigratingRun run(setup);
    run.finish();
    if (!run.violations().empty()) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("when a node crashes for good the others go on, and each write that is lost is told of, for 20 seeds") {
  std::uint64_t lost = 0, unavailable = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MigratingRun run(crashing(migrating(seed), 1, "500us"));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") == 1);
    REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
    lost += run.counter("recovery.lost_blocks");
    unavailable += run.counter("recovery.unavailable");
  }
  CHECK(lost > 0);
  CHECK(unavailable > 0);
}

TEST_CASE("a node that comes back gets the values that are left of its blocks, for 20 seeds") {
  std::uint64_t supplied = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MigratingRun run(crashing(migrating(seed), 1, "500us", "900us"));
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
    CHECK(run.counter("recovery.recoveries") == 2);
    REQUIRE(run.protocol->measured_operations() >= *run.setup.plan.measure.operations);
    supplied += run.counter("recovery.supplied");
  }
  CHECK(supplied > 0);
}

TEST_CASE("the same with loss, duplication and packets that are held back, and several nodes, for 20 seeds") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Setup setup = crashing(harshly_migrating(seed), 1, "500us", "900us");
    setup = crashing(setup, 2, "700us", "1500us");
    setup = crashing(setup, 3, "2ms");
    MigratingRun run(setup);
    run.finish();
    INFO("seed " << seed);
    REQUIRE(run.violations() == "");
  }
}

TEST_CASE("a node or the switch that fails during the recovery from a node has it begin again") {
  for (int after = 0; after < 40; ++after) {
    const std::string instant = std::to_string(520 + 5 * after) + "us";
    INFO("second failure at " << instant);
    {
      MigratingRun run(crashing(crashing(migrating(5), 1, "500us", "1500us"), 2, instant, "1400us"));
      run.finish();
      REQUIRE(run.violations() == "");
    }
    Setup setup = crashing(migrating(6), 1, "500us", "1200us");
    setup.add_fault("switch-restart", R"({"from": ")" + instant + R"(", "dead_time": "20us"})");
    MigratingRun run(setup);
    run.finish();
    REQUIRE(run.violations() == "");
  }
}

TEST_CASE("a node that crashes again while it comes back comes back later") {
  for (int after = 0; after < 20; ++after) {
    const std::string again = std::to_string(905 + 5 * after) + "us";
    INFO("crash again at " << again);
    MigratingRun run(crashing(crashing(migrating(7), 1, "500us", "900us"), 1, again, "1500us"));
    run.finish();
    REQUIRE(run.violations() == "");
  }
}

TEST_CASE("without the newest copies that are left crashes lose writes that nobody tells of, within 100 seeds") {
  CHECK(breaks_within(100, &RecoveryOptions::newest_copies));
}

TEST_CASE("as printed a crash stops the others for ever: requests that wait for the node do not drain") {
  Setup setup = crashing(migrating(1), 1, "500us");
  setup.flowcc.recovery.of_nodes = RecoveryOptions::OfNodes::printed;
  MigratingRun run(setup);
  run.finish();
  CHECK_FALSE(run.found("data-value"));
  CHECK(run.found("progress"));
}

namespace {

/// A script with leases, which notes what is lost.
class Script : public FlowCcScript, sim::Observer {
 public:
  explicit Script(const Setup& s) : FlowCcScript(s), lane_(calendar.add_lane("test/looks")) {
    event_log.attach(*this);
    look_later();
  }
  /// What a node reads of a block; nothing if that ends with an error.
  std::optional<sim::Value> value(NodeId node, models::GlobalAddress at) {
    std::optional<sim::Value> found;
    spawn(read(node, at, found), node);
    advance(300_us);
    return found;
  }
  sim::Value write(NodeId node, models::GlobalAddress at) {
    access({node, 0}, at, true);
    return protocol->newest_value({node, 0});
  }
  std::vector<std::pair<sim::Value, sim::Loss>> lost;

 private:
  void look_later() { calendar.after<&Script::look>(protocol->recovery()->membership().interval(), lane_, *this); }
  void look() {
    protocol->recovery()->membership().look();
    look_later();
  }
  sim::Task<void> read(NodeId node, models::GlobalAddress at, std::optional<sim::Value>& found) {
    try {
      found = co_await protocol->read({node, 0}, at);
    } catch (const models::Unavailable&) {
    }
  }
  void observe(const sim::Observation& observation) override {
    if (observation.what != sim::Observed::write_lost) return;
    const auto view = sim::LostWriteView::of(observation);
    lost.emplace_back(view.value, view.why);
  }
  sim::Lane lane_;
};

/// Blocks stay at home: nothing is hot.
Setup script_of(unsigned crashed, const std::string& from, const std::string& until = "") {
  Setup setup = migrating(1);
  setup.flowcc.migration.epoch = 500_ms;
  setup.flowcc.shadow.scan_period = 500_ms;
  return crashing(setup, crashed, from, until);
}

/// A block of which node 0 is the home.
models::GlobalAddress at_home(std::uint64_t i) {
  return models::GlobalAddress::at(0, i * 4096);
}

using Losses = std::vector<std::pair<sim::Value, sim::Loss>>;

}  // namespace

TEST_CASE("of a block that the dead node had dirty what it was given is left, and its own writes are lost") {
  Script run(script_of(2, "1ms"));
  const auto block = at_home(0);
  const sim::Value first = run.write(1, block);
  const sim::Value second = run.write(2, block);
  run.advance_to(sim::Time{} + 2_ms);
  CHECK(run.lost == Losses{{second, sim::Loss::holder}});
  CHECK(run.value(3, block) == first);
}

TEST_CASE("what was given to the dead node is not kept beyond the next request of its requester") {
  Script run(script_of(2, "1500us"));
  const auto block = at_home(0), other = at_home(1);
  const sim::Value first = run.write(1, block);
  const sim::Value of_other = run.write(1, other);
  const sim::Value second = run.write(2, block);
  const sim::Value last = run.write(2, other);
  run.advance_to(sim::Time{} + 2500_us);
  CHECK(run.lost == Losses{{first, sim::Loss::holder}, {second, sim::Loss::holder}, {last, sim::Loss::holder}});
  CHECK(run.value(3, block) == sim::kNeverWritten);
  CHECK(run.value(3, other) == of_other);
}

TEST_CASE("what was given to a node that lives, and that gave it on to the dead one, is left if nothing newer is") {
  Script run(script_of(3, "2ms"));
  const auto block = at_home(0), other = at_home(1);
  const sim::Value first = run.write(1, block);
  const sim::Value of_other = run.write(2, other);
  const sim::Value second = run.write(2, block);
  const sim::Value third = run.write(3, block);
  const sim::Value last = run.write(3, other);  // node 2 keeps this block, and no longer the other, for node 3
  run.advance_to(sim::Time{} + 3_ms);
  CHECK(run.lost == Losses{{second, sim::Loss::holder}, {third, sim::Loss::holder}, {last, sim::Loss::holder}});
  CHECK(run.value(0, block) == first);
  CHECK(run.value(0, other) == of_other);
}

TEST_CASE("what was written after the warm-up to a copy that was dirty by then is newer than memory") {
  Script run(script_of(1, "1ms"));
  const auto block = at_home(0);
  run.protocol->warm_access({2, 0}, block, true);
  const sim::Value second = run.write(2, block);
  const sim::Value third = run.write(1, block);
  run.advance_to(sim::Time{} + 2_ms);
  CHECK(run.lost == Losses{{third, sim::Loss::holder}});
  CHECK(run.value(3, block) == second);
}

TEST_CASE("what the dead node had given on, or written home, is not lost, whatever is kept of before") {
  Script run(script_of(2, "2500us"));
  const auto block = at_home(0), other = at_home(1);
  run.write(1, block);
  run.write(2, block);
  const sim::Value third = run.write(3, block);  // dirty at node 3, while node 1 keeps the first
  run.write(1, other);
  const sim::Value read = run.write(2, other);
  CHECK(run.value(0, other) == read);  // which writes it home, while node 1 keeps what was before
  run.advance_to(sim::Time{} + 3500_us);
  CHECK(run.lost.empty());
  CHECK(run.value(1, block) == third);
  CHECK(run.value(3, other) == read);
}

TEST_CASE("accesses to a dead home's blocks end with an error, but for cached ones, and go on when it is back") {
  Script run(script_of(0, "1500us", "3ms"));
  const auto cached = at_home(0), dirty = at_home(1), gone = at_home(2);
  const sim::Value of_cached = run.write(1, cached);
  CHECK(run.value(2, cached) == of_cached);
  const sim::Value of_dirty = run.write(1, dirty);
  const sim::Value of_gone = run.write(0, gone);
  run.advance_to(sim::Time{} + 2_ms);
  CHECK(run.lost == Losses{{of_gone, sim::Loss::home}});
  CHECK(run.value(2, cached) == of_cached);
  CHECK(run.value(1, dirty) == of_dirty);
  CHECK(run.value(3, cached) == std::nullopt);
  CHECK(run.value(3, dirty) == std::nullopt);
  run.advance_to(sim::Time{} + 4_ms);
  CHECK(run.value(3, cached) == of_cached);
  CHECK(run.value(3, dirty) == of_dirty);
  CHECK(run.value(3, gone) == sim::kNeverWritten);
  CHECK(run.lost.size() == 1);
}

}  // namespace node_recovery_test
