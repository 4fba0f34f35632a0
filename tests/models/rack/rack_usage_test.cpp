#include "models/rack/rack_usage.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "models/switch/control_cpu.hpp"
#include "sim/random/random.hpp"
#include "tests/models/rack_fixture.hpp"

namespace rack_usage_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// A rack of four hosts, watched between two instants.
struct WatchedRack : TestRack {
  explicit WatchedRack(const std::function<void(RackOptions&)>& change = [](RackOptions&) {})
      : TestRack(options_with(change)), usage(rack) {}

  static RackOptions options_with(const std::function<void(RackOptions&)>& change) {
    RackOptions options = small();
    options.nodes = 4;
    options.nic.inline_bytes = 0;  // payloads are read over PCIe
    options.nic.receive_ring = 100'000;
    options.network_switch.queue_share = 100;
    change(options);
    return options;
  }

  /// A host sends so many frames at once.
  void burst(NodeId from, NodeId to, std::uint32_t frame = 64) {
    for (int i = 0; i < 2'000; ++i) send(from, to, 1, 9, frame);
  }

  void bursts_to(NodeId to, std::uint32_t frame = 64) {
    for (NodeId from = 0; from < 4; ++from) {
      if (from != to) burst(from, to, frame);
    }
  }

  /// What `load` adds comes at the window's begin.
  void run(
      sim::Duration from, sim::Duration until, const std::function<void()>& load = [] {}) {
    calendar.run_until(sim::Time{} + from);
    metrics.open_window(calendar.now());
    load();
    calendar.run_until(sim::Time{} + until);
    metrics.close_window(calendar.now());
  }

  const BusiestResource& of(const std::string& kind) {
    const auto& all = usage.busiest();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.kind == kind; });
    REQUIRE(found != all.end());
    return *found;
  }

  void nothing() {}

  RackUsage usage;
};

/// Of a rack that is given `load` before the window and in it, which takes longer than both.
void check_is_the_limit(WatchedRack& rack, const std::function<void()>& load, const std::string& kind,
                        const std::string& name) {
  INFO(kind);
  load();
  rack.run(20_us, 60_us, load);
  CHECK(rack.of(kind).name == name);
  CHECK(rack.of(kind).busy == Approx(1).epsilon(0.01));
  CHECK(rack.of(kind).queue->mean > 1);
  CHECK(static_cast<double>(rack.of(kind).queue->most) > rack.of(kind).queue->mean);
  CHECK(rack.metrics.find("largest_queue." + kind)->number().value() == static_cast<double>(rack.of(kind).queue->most));
  CHECK(rack.metrics.find("busy." + kind)->number().value() == rack.of(kind).busy);
  for (const auto& other : rack.usage.busiest()) {
    INFO(other.kind);
    CHECK(other.busy <= 1.01);
  }
}

}  // namespace

TEST_CASE("A wire of few bits a second is the limit of who sends by it") {
  WatchedRack rack([](RackOptions& options) { options.link_bits_per_second = 1'000'000'000; });
  check_is_the_limit(
      rack, [&] { rack.burst(0, 1); }, "ports.in", "node0-switch");
}

TEST_CASE("A port that takes few packets a second is the limit, whatever their size") {
  WatchedRack rack([](RackOptions& options) { options.network_switch.port_packets_per_second = 1'000'000; });
  check_is_the_limit(
      rack, [&] { rack.burst(0, 1); }, "ports.in", "node0-switch (packets)");
}

TEST_CASE("The wire to whom three send is the limit, and theirs are busy for a third") {
  WatchedRack rack;
  check_is_the_limit(
      rack, [&] { rack.bursts_to(1, 1500); }, "ports.out", "switch-node1");
}

TEST_CASE("A NIC that sends few messages a second is the limit") {
  WatchedRack rack([](RackOptions& options) { options.nic.messages_per_second = 1'000'000; });
  check_is_the_limit(
      rack, [&] { rack.burst(0, 1); }, "nic.transmit", "node0/nic");
}

TEST_CASE("A NIC to which three send is the limit if each takes as many as it sends") {
  WatchedRack rack([](RackOptions& options) { options.nic.messages_per_second = 1'000'000; });
  check_is_the_limit(
      rack, [&] { rack.bursts_to(1); }, "nic.receive", "node1/nic");
}

TEST_CASE("PCIe is the limit of who reads payloads by it, and of whom three send to") {
  const auto slow = [](RackOptions& options) { options.nic.pcie_bits_per_second = 500'000'000; };
  WatchedRack reads(slow), writes(slow);
  check_is_the_limit(
      reads, [&] { reads.burst(0, 1); }, "pcie.read", "node0/pcie");
  check_is_the_limit(
      writes, [&] { writes.bursts_to(1); }, "pcie.write", "node1/pcie");
}

TEST_CASE("A pipe with few slots a second is the limit of all") {
  WatchedRack rack([](RackOptions& options) { options.network_switch.clock_hz = 2'000'000; });
  check_is_the_limit(
      rack, [&] { rack.bursts_to(1); }, "pipes", "switch/pipe0");
}

TEST_CASE("The trunk by which three send to another rack is the limit, and theirs and those that receive are not") {
  WatchedRack rack([](RackOptions& options) {
    options.nodes = 5;
    options.topology.racks = 2;
    options.topology.last_rack = 2;
  });
  const auto load = [&] {
    for (NodeId from = 0; from < 3; ++from) rack.burst(from, static_cast<NodeId>(3 + from % 2), 1500);
  };
  check_is_the_limit(rack, load, "trunks", "tor0-spine.0");
  // Two of the three send to node 3, and get two thirds of what the trunk carries.
  CHECK(rack.of("ports.out").busy == Approx(2.0 / 3).epsilon(0.02));
}

TEST_CASE("A recirculation port of few bits a second is at work all the time, though nobody counts who waits for it") {
  WatchedRack rack([](RackOptions& options) { options.network_switch.recirculation_bits_per_second = 1'000'000'000; });
  rack.rack.install_program(
      exercise_program(false, static_cast<std::uint16_t>(rack.rack.chassis().recirculation_port(0))));
  for (int i = 0; i < 2'000; ++i) rack.send(0, 1, 1, kRecirculated);
  rack.run(20_us, 60_us);
  CHECK(rack.of("recirculation").busy == Approx(1).epsilon(0.01));
  CHECK_FALSE(rack.of("recirculation").queue);
  CHECK(rack.of("ports.out").busy < 0.02);
}

TEST_CASE("A control CPU with few operations a second is the limit of those that it is given") {
  WatchedRack rack;
  const auto operate = [&] {
    for (int i = 0; i < 1'000; ++i) rack.rack.control_cpu().change_replication([](p4::ReplicationEngine&) {});
  };
  check_is_the_limit(rack, operate, "control_cpu", "switch/control_cpu");
}

TEST_CASE("A core is told by what it is there for") {
  WatchedRack rack([](RackOptions& options) { options.cores = 2; });
  CHECK(rack.of("cores.other").busy == 0);
  TestRack plain;
  plain.rack.server(1).core(0, "clerk");
  RackUsage usage(plain.rack);
  plain.metrics.open_window(plain.calendar.now());
  struct Work {
    void nothing() {}
  } work;
  plain.rack.server(1).core(0).run<&Work::nothing>(30_us, work);
  plain.rack.server(1).core(0).run<&Work::nothing>(30_us, work);
  plain.calendar.run_until(sim::Time{} + 100_us);
  plain.metrics.close_window(plain.calendar.now());
  CHECK(usage.busiest().front().kind == "cores.clerk");
  CHECK(usage.busiest().front().name == "node1/core0");
  CHECK(usage.busiest().front().busy == Approx(0.6));
  CHECK(usage.busiest().front().queue->mean == Approx(0.3));
  CHECK(usage.busiest().front().queue->most == 1);
  CHECK(usage.busiest().front().queue->longest_wait == 30_us);
}

TEST_CASE("Work and waiting that the window cuts count for what lies in it") {
  WatchedRack rack;
  rack.rack.server(2).core(0).run<&WatchedRack::nothing>(50_us, rack);
  rack.rack.server(2).core(0).run<&WatchedRack::nothing>(2_us, rack);  // waits from 0 to 50 us
  rack.run(20_us, 60_us);
  CHECK(rack.of("cores.other").busy == Approx(32.0 / 40));
  CHECK(rack.of("cores.other").queue->mean == Approx(30.0 / 40));
}

TEST_CASE("The longest wait and the largest queue are of those who waited in the window") {
  WatchedRack rack;
  for (int i = 0; i < 4; ++i) rack.rack.server(2).core(0).run<&WatchedRack::nothing>(5_us, rack);
  rack.run(20_us, 60_us, [&] {
    for (int i = 0; i < 3; ++i) rack.rack.server(2).core(0).run<&WatchedRack::nothing>(2_us, rack);
  });
  CHECK(rack.of("cores.other").queue->longest_wait == 4_us);
  CHECK(rack.of("cores.other").queue->most == 2);
}

TEST_CASE("A core that is given too much has the longest queue when the window ends, and those who wait then count") {
  WatchedRack rack;
  // One each microsecond, which takes two: of 60 by the end of the window 30 have begun.
  for (int i = 0; i < 60; ++i) {
    rack.rack.server(2).core(0).run_at<&WatchedRack::nothing>(sim::Time{} + 1_us * i, 2_us, rack);
  }
  rack.run(20_us, 60_us);
  CHECK(rack.of("cores.other").queue->most == 30);
  CHECK(rack.of("cores.other").queue->longest_wait == 30_us);
}

TEST_CASE("Over time busy and queue are of the resource that was busiest since they were asked before") {
  WatchedRack rack;
  const auto of = [&](const char* name) { return std::get<sim::Gauge>(rack.metrics.find(name)->value).over_time(); };
  const auto busy = of("busy.cores.other"), queue = of("queue.cores.other");
  CHECK(busy() == 0);
  // Until 10 us node 2 works for 6 us and another waits for 3 of them; until 20 us node 3 for 4, and nobody waits.
  for (int i = 0; i < 2; ++i) rack.rack.server(2).core(0).run<&WatchedRack::nothing>(3_us, rack);
  rack.calendar.run_until(sim::Time{} + 10_us);
  CHECK(busy() == Approx(0.6));
  CHECK(queue() == Approx(0.3));
  rack.rack.server(3).core(0).run<&WatchedRack::nothing>(4_us, rack);
  rack.calendar.run_until(sim::Time{} + 20_us);
  CHECK(busy() == Approx(0.4));
  CHECK(queue() == 0);
  // What waited for node 2 before is told once.
  rack.rack.server(2).core(0).run<&WatchedRack::nothing>(5_us, rack);
  rack.calendar.run_until(sim::Time{} + 30_us);
  CHECK(busy() == Approx(0.5));
  CHECK(queue() == 0);
}

// Of M/D/1 rho^2 / (2 (1 - rho)) wait in the mean.
TEST_CASE("Of Poisson work as much waits for a core as the closed form of M/D/1 says") {
  for (const auto& [rho, tolerance] : {std::pair{0.5, 0.03}, std::pair{0.9, 0.1}}) {
    WatchedRack rack;
    sim::RandomStream random(7, "work");
    sim::Time ready{};
    for (int i = 0; i < 200'000; ++i) {
      ready += random.exponential(sim::Duration::from_ps(static_cast<std::int64_t>(100'000 / rho)));
      rack.rack.server(0).core(0).run_at<&WatchedRack::nothing>(ready, 100_ns, rack);
    }
    rack.run(0_us, ready - sim::Time{});
    CHECK(rack.of("cores.other").busy == Approx(rho).epsilon(0.02));
    CHECK(rack.of("cores.other").queue->mean == Approx(rho * rho / (2 * (1 - rho))).epsilon(tolerance));
  }
}

TEST_CASE("The fullest buffer is told by what was in it at once, in the window alone") {
  const auto fullest = [](sim::Duration from) {
    WatchedRack rack([](RackOptions& options) {
      options.network_switch.buffer_cells = 10'000;
      options.network_switch.queue_cells = 10'000;
      options.nic.messages_per_second = 1'000'000'000;
    });
    rack.bursts_to(1, 80);
    rack.run(from, from + 2_us);
    return rack.of("buffer").busy;
  };
  // 6,000 packets of a cell each come at three times the rate at which they leave.
  CHECK(fullest(0_us) < 0.1);
  CHECK(fullest(12_us) > 0.3);
  CHECK(fullest(12_us) <= 0.4);
  CHECK(fullest(200_us) == 0);
}

}  // namespace rack_usage_test
