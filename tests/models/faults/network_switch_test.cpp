// Faults of the switch.
#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace network_switch_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {
struct Programmed : FaultyRack {
  Programmed() { rack.install_program(exercise_program(false, 32)); }
  void count_at(sim::Duration when, std::uint64_t what) {
    calendar.at<&Programmed::count_now>(at(when), lane, *this, what);
  }
  void count_now(std::uint64_t what) { send(0, 1, what, kCounted); }
};
}  // namespace

TEST_CASE("A switch restart loses what is inside and what arrives, and all state; plain routes come back") {
  Programmed t;
  t.rack.chassis().replication().set_group(1, {{5, {1, 2}}});
  t.add("switch-restart", {{"from", 10_us}, {"dead_time", 20_us}});
  t.schedule.start();
  for (const auto when : {1_us, 2_us, 9500_ns, 15_us, 29_us, 31_us, 32_us}) {
    t.count_at(when, static_cast<std::uint64_t>(when.ps() / 1'000'000));
  }
  t.calendar.run_until();
  // A packet enters the switch about 300 ns after it was posted and leaves it about 600 ns later: the one of 9.5 us is
  // inside when the power goes.
  CHECK(t.got(1) == std::vector<std::uint64_t>{1, 2, 31, 32});
  std::vector<std::uint64_t> counts;
  for (const auto& seen : t.hosts[1]->seen) counts.push_back(seen.identification);
  CHECK(counts == std::vector<std::uint64_t>{1, 2, 1, 2});
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) == 3);
  CHECK(t.rack.chassis().replication().groups() == 0);
  CHECK(t.rack.packets_in_flight() == 0);
}

TEST_CASE("A queue in the switch is lost with its power, however long it is") {
  FaultyRack t;
  t.add("switch-restart", {{"from", 10_us}, {"dead_time", 1_us}});
  t.schedule.start();
  for (NodeId from = 1; from < 8; ++from) {
    for (std::uint64_t i = 0; i < 60; ++i) t.send_at(0_ns, from, 0, i, 1500);  // 50 us of the downlink
  }
  t.calendar.run_until(at(9_us));
  const auto before = t.hosts[0]->seen.size();
  CHECK(before > 50);
  t.calendar.run_until();
  for (const auto& seen : t.hosts[0]->seen) CHECK(seen.when < at(11_us));
  CHECK(t.hosts[0]->seen.size() + t.rack.accounting().dropped(DropReason::switch_off) == 7 * 60);
  // The new queue is empty.
  t.send(1, 0, 99);
  const auto sent = t.calendar.now();
  t.calendar.run_until();
  CHECK(t.hosts[0]->seen.back().when - sent < 2_us);
}

TEST_CASE("Operations of the control CPU wait for a switch that is off") {
  Programmed t;
  t.add("switch-restart", {{"from", 10_us}, {"dead_time", 20_us}});
  t.schedule.start();
  t.rack.control_cpu().write(0, array_of(t.rack, "COUNT"), 1, 100);
  t.calendar.run_until(at(12_us));
  std::vector<std::pair<std::uint64_t, sim::Time>> reads;
  t.rack.control_cpu().read(0, array_of(t.rack, "COUNT"), 1,
                            [&](std::uint64_t value) { reads.emplace_back(value, t.calendar.now()); });
  t.calendar.run_until();
  REQUIRE(reads.size() == 1);
  CHECK(reads[0].first == 0);
  CHECK(reads[0].second >= at(30_us));
}

TEST_CASE("A switch restart that is far off is withdrawn by the heal, and a near one is over soon after it") {
  FaultyRack t;
  t.add("switch-restart", {{"from", 10_us}, {"dead_time", 500_ms}});
  t.add("switch-restart", {{"from", 900_ms}});
  t.schedule.start();
  t.calendar.run_until(at(50_us));
  t.schedule.heal();
  t.send_at(1100_us, 0, 1, 1);
  t.send_at(901_ms, 0, 1, 2);
  t.calendar.run_until();
  CHECK(t.got(1) == numbers(1, 3));
  CHECK(t.event_log.count(sim::Observed::fault_begun) == 1);
  CHECK(t.event_log.count(sim::Observed::fault_ended) == 1);
}

TEST_CASE("A dead time in which packets under way could live on is refused") {
  FaultyRack t;
  const auto shortest = t.rack.chassis().shortest_off();
  CHECK(shortest > t.rack.chassis().ingress_latency());
  RackOptions slow = TestRack::small();
  slow.network_switch.parser_latency = 3_us;
  FaultyRack u(slow);
  CHECK_THROWS_WITH(u.add("switch-restart", {{"dead_time", 2_us}}),
                    Catch::Contains("dead_time: found 2000 ns, expected at least the "));
}

TEST_CASE("A slow control CPU makes each operation late and leaves their order") {
  Programmed t;
  t.add("control-delay", {{"from", 10_us}, {"until", 14_us}, {"factor", 3.0}, {"added", 5_us}});
  t.schedule.start();
  std::vector<sim::Time> done;
  const auto read = [&] {
    t.rack.control_cpu().read(0, array_of(t.rack, "COUNT"), 1,
                              [&](std::uint64_t) { done.push_back(t.calendar.now()); });
  };
  const auto plain = 900_ns * 2 + t.rack.chassis().ingress_latency();
  read();
  t.calendar.run_until(at(12_us));
  read();
  read();
  t.calendar.run_until(at(18_us));
  read();
  t.calendar.run_until();
  // At a rate of 1 M/s, three times as far apart. The last is in time but waits for those before it.
  CHECK(done == std::vector<sim::Time>{at(plain), at(12_us + 5_us + plain), at(15_us + 5_us + plain),
                                       at(20_us + plain + t.rack.chassis().cycle())});
}

TEST_CASE("A slow control CPU clears an array late, in its place among the operations") {
  Programmed t;
  t.add("control-delay", {{"from", 10_us}, {"until", 14_us}, {"factor", 3.0}, {"added", 5_us}});
  t.schedule.start();
  t.rack.chassis().pipeline(0).registers().write(0, 1, 9);
  std::vector<std::pair<std::uint64_t, sim::Time>> done;
  const auto note = [&](std::uint64_t result) { done.emplace_back(result, t.calendar.now()); };
  t.calendar.run_until(at(12_us));
  t.rack.control_cpu().read(0, array_of(t.rack, "COUNT"), 1, note);
  t.rack.control_cpu().clear(0, array_of(t.rack, "COUNT"), note);
  t.rack.control_cpu().read(0, array_of(t.rack, "COUNT"), 1, note);
  t.calendar.run_until();
  const auto slow = 5_us + 900_ns * 2 + t.rack.chassis().ingress_latency();
  const auto words = 4'064_ps;  // 128 bits at 31.5 Gbit/s
  CHECK(done == std::vector<std::pair<std::uint64_t, sim::Time>>{
                    {9, at(12_us + slow)}, {1, at(15_us + words + slow)}, {0, at(18_us + words + slow)}});
}

}  // namespace network_switch_test
