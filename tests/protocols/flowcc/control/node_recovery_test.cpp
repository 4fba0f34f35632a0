// Recovery from nodes that crash (protocols/flowcc/control/recovery.hpp): the others go on, what is lost is what nobody
// living had, no more, and a node that comes back gets what is left of its blocks.
#include <fmt/core.h>

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocols/flowcc/control/migration_run.hpp"

namespace node_recovery_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

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

/// A write that is lost, why, and what the block has instead.
struct Lost {
  sim::Value value;
  sim::Loss why;
  sim::Value recovered;
  bool operator==(const Lost&) const = default;
};

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
  std::vector<Lost> lost;

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
    lost.push_back({view.value, view.why, view.recovered});
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

using Losses = std::vector<Lost>;

}  // namespace

TEST_CASE("a home agent that comes back numbers its migrations from 1, and the switch takes them") {
  Setup setup = crashing(migrating(1), 1, "2ms", "2200us");
  setup.measure(4'000);
  MigratingRun run(setup);
  const RequesterId home{4 * 2 + 1};  // behind two threads of each of four nodes
  const auto latest = [&] {           // LAST-UNLOCK has the latest migration that took effect
    std::uint32_t seq = 0;
    while (run.protocol->switch_owner().unlocked_before(home, Seq{seq + 1})) ++seq;
    return seq;
  };
  run.advance_to(sim::Time{} + 1990_us);
  const std::uint32_t before = latest();
  REQUIRE(before > 20);
  run.advance_to(sim::Time{} + 2190_us);  // the switch has been cleared meanwhile, for the others
  CHECK(latest() == 0);
  run.advance_to(sim::Time{} + 3_ms);
  CHECK(latest() > 0);
  CHECK(latest() < before);
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("of a block that the dead node had dirty what it was given is left, and its own writes are lost") {
  Script run(script_of(2, "1ms"));
  const auto block = at_home(0);
  const sim::Value first = run.write(1, block);
  const sim::Value second = run.write(2, block);
  run.advance_to(sim::Time{} + 2_ms);
  CHECK(run.lost == Losses{{second, sim::Loss::holder, first}});
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
  CHECK(run.lost == Losses{{first, sim::Loss::holder, sim::kNeverWritten},
                           {second, sim::Loss::holder, sim::kNeverWritten},
                           {last, sim::Loss::holder, of_other}});
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
  CHECK(run.lost == Losses{{second, sim::Loss::holder, first},
                           {third, sim::Loss::holder, first},
                           {last, sim::Loss::holder, of_other}});
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
  CHECK(run.lost == Losses{{third, sim::Loss::holder, second}});
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
  Script run(crashing(script_of(0, "4ms", "7ms"), 1, "12ms"));
  const auto cached = at_home(0), dirty = at_home(1), gone = at_home(2), next = at_home(3);
  const sim::Value of_cached = run.write(1, cached);
  CHECK(run.value(2, cached) == of_cached);
  const sim::Value of_dirty = run.write(1, dirty);
  const sim::Value at_home_only = run.write(1, gone), of_next = run.write(1, next);
  for (const auto block : {gone, next}) run.value(2, block);  // which writes it home; then nobody keeps the first
  const sim::Value of_gone = run.write(0, gone), last = run.write(0, next);
  run.advance_to(sim::Time{} + 5_ms);
  CHECK(run.lost == Losses{{at_home_only, sim::Loss::home, sim::kNeverWritten},
                           {of_gone, sim::Loss::holder, sim::kNeverWritten},
                           {last, sim::Loss::holder, of_next}});
  CHECK(run.value(2, cached) == of_cached);
  CHECK(run.value(1, dirty) == of_dirty);
  CHECK(run.value(3, cached) == std::nullopt);
  CHECK(run.value(3, dirty) == std::nullopt);
  run.advance_to(sim::Time{} + 8_ms);
  CHECK(run.value(3, cached) == of_cached);
  CHECK(run.value(3, dirty) == of_dirty);
  CHECK(run.value(3, gone) == sim::kNeverWritten);
  CHECK(run.lost.size() == 3);
  const sim::Value later = run.write(1, gone);
  run.advance_to(sim::Time{} + 13_ms);
  REQUIRE(run.lost.size() == 4);
  CHECK(run.lost.back() == Lost{later, sim::Loss::holder, sim::kNeverWritten});  // whatever had died with its home
}

TEST_CASE("a dirty block that its node evicts is lost as the holder's, then as a write-back, and then no longer") {
  enum Phase { dirty, under_way, written_home, kPhases };
  std::array<int, kPhases> runs{};
  Phase last = dirty;
  for (int crash = 0; crash < 100; ++crash) {
    Setup setup = script_of(1, fmt::format("{}ns", 3'000'000 + crash * 100));
    setup.flowcc.cache_bytes = 8 * 4096;  // a bucket
    Script run(setup);
    const sim::Value evicted = run.write(1, at_home(0));
    for (unsigned i = 1; i < 8; ++i) run.write(1, at_home(i));
    run.advance_to(sim::Time{} + 3_ms);
    run.begin({1, 0}, at_home(8), true);
    run.advance_to(sim::Time{} + 4_ms);
    INFO(crash * 100 << " ns after the access that evicts");
    Phase phase = written_home;
    for (const Lost& lost : run.lost) {
      if (lost.value == evicted) phase = lost.why == sim::Loss::write_back ? under_way : dirty;
      CHECK((lost.value == evicted || lost.why == sim::Loss::holder));
    }
    CHECK(run.value(2, at_home(0)) == (phase == written_home ? evicted : sim::kNeverWritten));
    CHECK(phase >= last);
    last = phase;
    ++runs[phase];
  }
  for (const int of_phase : runs) CHECK(of_phase > 0);
}

}  // namespace node_recovery_test
