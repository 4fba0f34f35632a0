// Faults of servers that leave them running.
#include <catch2/catch.hpp>

#include "tests/models/faults/fault_fixture.hpp"

namespace nodes_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {
/// How long the n-th packet of a stream took that sends one every 100 ns.
sim::Duration latency(const FaultyRack& t, NodeId to, std::size_t n) {
  const auto& seen = t.hosts[to]->seen.at(n);
  return seen.when - at(100_ns * static_cast<std::int64_t>(seen.what));
}
}  // namespace

TEST_CASE("A NIC whose sending side stalls sends nothing in the window and everything after it") {
  FaultyRack t;
  t.add("nic-stall", {{"from", 5_us}, {"until", 10_us}, {"node", std::uint64_t{0}}, {"side", "sending"}});
  t.schedule.start();
  t.stream(0, 1, 100_ns, 20_us);
  t.calendar.run_until(at(5_us));
  const auto sent = t.rack.uplink(0).packets_sent();
  CHECK(sent > 40);
  CHECK(t.rack.uplink(0).free_at() <= at(5_us + t.rack.uplink(0).serialisation(84)));
  t.calendar.run_until(at(10_us - 1_ps));
  CHECK(t.rack.uplink(0).packets_sent() == sent);
  t.calendar.run_until();
  CHECK(t.got(1) == numbers(0, 200));
  CHECK(t.rack.accounting().dropped() == 0);
  // The last ones find the backlog gone.
  CHECK(latency(t, 1, 199) == latency(t, 1, 0));
}

TEST_CASE("A stall also holds back what waits for the wire already") {
  FaultyRack t;
  t.add("nic-stall", {{"from", 3_us}, {"until", 50_us}, {"node", std::uint64_t{0}}});
  t.schedule.start();
  for (std::uint64_t i = 0; i < 100; ++i) t.send_at(0_ns, 0, 1, i, 1500);  // 12 us of the wire
  t.calendar.run_until(at(49_us));
  CHECK(t.rack.uplink(0).packets_sent() < 30);
  CHECK(t.hosts[1]->seen.size() == t.rack.uplink(0).packets_sent());
  t.calendar.run_until();
  CHECK(t.got(1) == numbers(0, 100));
}

TEST_CASE("A NIC whose receiving side stalls loses nothing that fits in its buffer") {
  for (const std::uint64_t room : {1024, 8}) {
    RackOptions options = TestRack::small();
    options.nic.receive_ring = room;
    FaultyRack t(options);
    t.add("nic-stall", {{"from", 5_us}, {"until", 10_us}, {"node", std::uint64_t{1}}, {"side", "receiving"}});
    t.schedule.start();
    t.stream(0, 1, 100_ns, 9_us);
    t.calendar.run_until(at(5_us));
    // The others arrive in the window, and the first of them stay; what was in the NIC before goes to the host.
    const std::uint64_t before = t.counter("nic.packets_received");
    t.calendar.run_until();
    const std::uint64_t last = room == 8 ? before + 8 : 90;
    CHECK(t.got(1) == numbers(0, last));
    CHECK(t.rack.accounting().dropped(DropReason::ring_full) == 90 - last);
    for (const auto& seen : t.hosts[1]->seen) CHECK((seen.when < at(6_us) || seen.when >= at(10_us)));
  }
}

TEST_CASE("Stalls that overlap end with the last, and the heal ends or forestalls them all") {
  FaultyRack t;
  t.add("nic-stall", {{"from", 2_us}, {"until", 4_us}, {"node", std::uint64_t{0}}});
  t.add("nic-stall", {{"from", 3_us}, {"until", 900_us}, {"node", std::uint64_t{0}}});
  t.add("nic-stall", {{"from", 10_us}, {"until", 900_us}, {"node", std::uint64_t{0}}});
  t.schedule.start();
  t.stream(0, 1, 100_ns, 20_us);
  t.calendar.run_until(at(6_us));
  CHECK(t.rack.uplink(0).packets_sent() < 20);
  t.schedule.heal();
  t.calendar.run_until();
  CHECK(t.got(1) == numbers(0, 200));
  CHECK(latency(t, 1, 199) == latency(t, 1, 0));
  CHECK(t.event_log.count(sim::Observed::fault_begun) == 2);
  CHECK(t.event_log.count(sim::Observed::fault_ended) == 2);
}

TEST_CASE("A slow core takes a multiple of its time for each packet and charge") {
  FaultyRack t;
  t.add("slow-core", {{"from", 10_us}, {"until", 20_us}, {"node", std::uint64_t{1}}, {"factor", 10.0}});
  t.add("slow-core", {{"from", 12_us}, {"until", 14_us}, {"node", std::uint64_t{1}}, {"factor", 3.0}});
  t.schedule.start();
  for (const auto when : {1_us, 10_us, 12_us, 15_us, 22_us}) t.send_at(when, 0, 1, 0);
  t.calendar.run_until(at(10_us));
  CHECK(t.rack.server(1).core(0).charge(7_ns) == at(10_us + 70_ns));
  CHECK(t.rack.server(0).core(0).charge(7_ns) >= at(10_us + 7_ns));
  t.calendar.run_until();
  const auto& seen = t.hosts[1]->seen;
  REQUIRE(seen.size() == 5);
  const auto plain = seen[0].when - at(1_us);
  const auto receive = t.rack.options().cpu.receive;
  CHECK(seen[1].when - at(10_us) == plain + receive * 9);
  CHECK(seen[2].when - at(12_us) == plain + receive * 2);  // the later one holds
  CHECK(seen[3].when - at(15_us) == plain + receive * 9);  // and gives way
  CHECK(seen[4].when - at(22_us) == plain);
}

TEST_CASE("Work that waits for its time when a core becomes slow is slow") {
  sim::Calendar calendar;
  Core core(calendar, "core");
  struct Done {
    void note(int) { when.push_back(calendar.now()); }
    sim::Calendar& calendar;
    std::vector<sim::Time> when;
  } done{calendar, {}};
  core.run_at<&Done::note>(at(5_ns), 10_ns, done, 1);
  core.run_at<&Done::note>(at(100_ns), 10_ns, done, 2);
  calendar.run_until(at(8_ns));
  core.set_slowdown(4);  // the first has begun
  calendar.run_until(at(50_ns));
  core.set_slowdown(2);
  calendar.run_until();
  CHECK(done.when == std::vector<sim::Time>{at(15_ns), at(120_ns)});
  CHECK(core.busy_time() == 30_ns);
}

TEST_CASE("A fast clock brings the timeouts of its node early") {
  FaultyRack t;
  t.add("fast-clock", {{"from", 10_us}, {"until", 30_us}, {"node", std::uint64_t{1}}, {"rate", 2.5}});
  t.schedule.start();
  struct Timer {
    void expire(int) { when = calendar.now(); }
    sim::Calendar& calendar;
    sim::Time when;
  };
  Timer before{t.calendar, {}}, during{t.calendar, {}}, other{t.calendar, {}}, after{t.calendar, {}};
  t.rack.server(1).clock().after<&Timer::expire>(50_us, before, 0);
  t.calendar.run_until(at(20_us));
  t.rack.server(1).clock().after<&Timer::expire>(50_us, during, 0);
  t.rack.server(2).clock().after<&Timer::expire>(50_us, other, 0);
  t.calendar.run_until(at(30_us));
  t.rack.server(1).clock().after<&Timer::expire>(50_us, after, 0);
  t.calendar.run_until();
  CHECK(before.when == at(50_us));
  CHECK(during.when == at(40_us));
  CHECK(other.when == at(70_us));
  CHECK(after.when == at(80_us));
}

TEST_CASE("Faults of nodes and cores that do not exist are refused") {
  FaultyRack t;
  CHECK_THROWS_WITH(t.add("nic-stall", {{"node", std::uint64_t{8}}}),
                    "node: found node 8, expected one of the 8 nodes, counted from 0");
  CHECK_THROWS_WITH(t.add("slow-core", {{"core", std::uint64_t{1}}}),
                    "core: found core 1, expected one of the 1 cores of a node, counted from 0");
  CHECK_THROWS_WITH(t.add("fast-clock", {{"from", 2_us}, {"until", 2_us}}),
                    "until: found 2000 ns, expected an end after its beginning, 2000 ns");
}

}  // namespace nodes_test
