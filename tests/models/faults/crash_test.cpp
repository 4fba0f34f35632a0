#include <catch2/catch.hpp>

#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace crash_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {
struct Observed : CrashObserver {
  explicit Observed(Rack& owner) : rack(owner) { rack.observe_crashes(*this); }
  void node_crashed(NodeId node) override {
    crashed.push_back(node);
    was_on = rack.server(node).nic().is_on();
  }
  Rack& rack;
  std::vector<NodeId> crashed;
  bool was_on = true;
};
}  // namespace

TEST_CASE("A crashed node is silent, and works again as another incarnation") {
  FaultyRack t;
  Observed observed(t.rack);
  t.add("crash", {{"from", 5_us}, {"until", 10_us}, {"node", std::uint64_t{1}}});
  t.schedule.start();
  t.stream(0, 1, 1_us, 20_us);
  t.stream(1, 2, 1_us, 20_us);
  t.calendar.run_until(at(7_us));
  CHECK_FALSE(t.rack.server(1).is_on());
  t.calendar.run_until();
  CHECK(t.rack.server(1).is_on());
  CHECK(t.rack.server(1).incarnation() == 1);
  CHECK(t.rack.server(0).incarnation() == 0);
  CHECK(observed.crashed == std::vector<NodeId>{1});
  CHECK_FALSE(observed.was_on);
  // A packet takes about a microsecond: the one sent at 4 us is in the NIC when it goes off, that of 9 us comes just
  // before it is on again.
  auto expected = numbers(0, 4);
  for (const auto number : numbers(10, 20)) expected.push_back(number);
  CHECK(t.got(1) == expected);
  // What the node sent at 5 us: events of the senders' lane come after the faults' at one instant.
  expected = numbers(0, 5);
  for (const auto number : numbers(10, 20)) expected.push_back(number);
  CHECK(t.got(2) == expected);
  CHECK(t.rack.accounting().dropped(DropReason::nic_off) == 6 + 5);
}

TEST_CASE("A crash forgets the work of all cores, and whatever the observer destroys is gone for good") {
  FaultyRack t;
  struct Tasks final : CrashObserver {
    explicit Tasks(FaultyRack& rack) : t(rack), scope(rack.calendar) { t.rack.observe_crashes(*this); }
    void node_crashed(NodeId) override { scope.cancel_all(); }
    sim::Task<void> tick() {
      for (;;) {
        co_await sim::sleep_for(t.rack.server(1).clock(), 1_us);
        ++ticks;
      }
    }
    FaultyRack& t;
    sim::Scope scope;
    int ticks = 0;
  } tasks(t);
  struct Work {
    void done(int) { ++count; }
    int count = 0;
  } work;
  t.add("crash", {{"from", 5500_ns}, {"node", std::uint64_t{1}}});
  t.schedule.start();
  tasks.scope.spawn(tasks.tick());
  t.rack.server(1).core(0).run<&Work::done>(6_us, work, 0);
  t.rack.server(2).core(0).run<&Work::done>(6_us, work, 0);
  t.calendar.run_until(at(20_us));
  CHECK(tasks.ticks == 5);
  CHECK(tasks.scope.running() == 0);
  CHECK(work.count == 1);
}

TEST_CASE("Crashes of one node that overlap keep it off until the last is over") {
  FaultyRack t;
  Observed observed(t.rack);
  t.add("crash", {{"from", 1_us}, {"until", 5_us}, {"node", std::uint64_t{1}}});
  t.add("crash", {{"from", 3_us}, {"until", 9_us}, {"node", std::uint64_t{1}}});
  t.schedule.start();
  t.calendar.run_until(at(6_us));
  CHECK_FALSE(t.rack.server(1).is_on());
  t.calendar.run_until();
  CHECK(t.rack.server(1).is_on());
  CHECK(t.rack.server(1).incarnation() == 1);
  CHECK(observed.crashed.size() == 1);
}

TEST_CASE("The heal starts a crashed node again unless it is to stay down") {
  for (const bool stays_down : {false, true}) {
    FaultyRack t;
    t.add("crash", {{"from", 1_us}, {"node", std::uint64_t{1}}, {"stays_down", stays_down}});
    t.add("crash", {{"from", 9_us}, {"node", std::uint64_t{2}}});
    t.schedule.start();
    t.calendar.run_until(at(5_us));
    t.schedule.heal();
    t.calendar.run_until();
    CHECK(t.rack.server(1).is_on() != stays_down);
    CHECK(t.rack.server(2).incarnation() == 0);
    CHECK(t.event_log.count(sim::Observed::fault_ended) == (stays_down ? 0 : 1));
  }
}

}  // namespace crash_test
