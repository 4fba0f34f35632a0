// Several racks behind a spine, as packets see them (StarCache §3.9).
#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/rack_fixture.hpp"

namespace rack_racks_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// Nodes 0 to 2 in the first rack, 3 and 4 in the second.
RackOptions two_racks(std::uint64_t pipes = 1) {
  RackOptions options = TestRack::small();
  options.nodes = 5;
  options.topology.racks = 2;
  options.topology.last_rack = 2;
  options.topology.pipes = pipes;
  return options;
}

std::uint64_t passes(const TestRack& t, const std::string& network_switch) {
  return t.counter(network_switch + ".ingress_passes");
}

}  // namespace

TEST_CASE("A packet to another rack passes its own switch, the spine and the other rack's, and no other") {
  TestRack t(two_racks());
  t.send(0, 4, 1);
  t.send(0, 1, 2);
  t.calendar.run_until();
  CHECK(t.hosts[4]->seen.size() == 1);
  CHECK(t.hosts[1]->seen.size() == 1);
  CHECK(passes(t, "tor0") == 2);
  CHECK(passes(t, "spine") == 1);
  CHECK(passes(t, "tor1") == 1);
  CHECK(t.rack.packets_in_flight() == 0);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("Each switch on the way adds its latency, and each link its serialisation and propagation") {
  const auto arrival = [](const RackOptions& options, NodeId to) {
    TestRack t(options);
    t.send(0, to, 1);
    t.calendar.run_until();
    return t.hosts[to]->seen.at(0).when - sim::Time{};
  };
  const RackOptions options = two_racks();
  const sim::Duration near = arrival(options, 1), far = arrival(options, 4);
  const TestRack t(options);
  const SwitchChassis& chassis = t.rack.chassis(0);
  const sim::Duration through =
      chassis.ingress_latency() + options.network_switch.traffic_manager_latency + chassis.egress_latency();
  // A frame of 64 bytes with preamble and gap takes 6.72 ns at 100 Gb/s.
  const sim::Duration serialisation = 6'720_ps;
  CHECK(far - near == 2 * (through + serialisation + options.topology.uplink_propagation));
}

TEST_CASE("Packets of a pipe go up by the link of that pipe, and come down by the one of their server's") {
  TestRack t(two_racks(2));
  // In the first rack node 1 is in the second pipe; in the second rack node 3 is in the first, node 4 in the second.
  const auto trunk = [&](const std::string& name) -> const Trunk& {
    for (const Trunk& one : t.rack.trunks()) {
      if (one.name == name) return one;
    }
    throw std::runtime_error("no link " + name);
  };
  t.send(1, 3, 1);
  t.calendar.run_until();
  CHECK(trunk("tor0-spine.1").up->packets_sent() == 1);
  CHECK(trunk("tor1-spine.0").down->packets_sent() == 1);
  t.send(0, 4, 1);
  t.calendar.run_until();
  CHECK(trunk("tor0-spine.0").up->packets_sent() == 1);
  CHECK(trunk("tor1-spine.1").down->packets_sent() == 1);
  CHECK(t.rack.port_towards(1, 1, 0) == t.rack.topology().cables().at(3).a.number);
}

TEST_CASE("Each switch has a program, registers and a control CPU of its own, and they are known by name") {
  TestRack t(two_racks());
  REQUIRE(t.rack.switches() == 3);
  CHECK(t.rack.chassis(0).name() == "tor0");
  CHECK(t.rack.chassis(1).name() == "tor1");
  CHECK(t.rack.chassis(2).name() == "spine");
  CHECK(t.rack.switch_of(2) == 0);
  CHECK(t.rack.switch_of(3) == 1);
  CHECK(t.rack.control_cpu(0).node() != t.rack.control_cpu(1).node());
  const auto program = exercise_program(false, static_cast<std::uint16_t>(t.rack.chassis(1).recirculation_port(0)));
  t.rack.install_program(program, 1);
  t.send(0, 4, 1, kCounted);
  t.send(3, 4, 2, kCounted);
  t.send(0, 1, 3, kCounted);
  t.calendar.run_until();
  const p4::RegisterArray& count = program->arrays().front();
  CHECK(t.rack.chassis(1).pipeline(0).registers().read(count.id, 1) == 2);
  CHECK(t.hosts[1]->seen.size() == 1);
  CHECK_THROWS_WITH(t.rack.chassis(), "the rack has 3 switches, of which none was named");
}

TEST_CASE("The control CPU of a switch is reached from every rack, and reaches every server") {
  struct Listener : PacketHandler {
    void on_packet(p4::PacketRef packet) override { seen.push_back(number_in(*packet)); }
    std::vector<std::uint64_t> seen;
  };
  TestRack t(two_racks());
  Listener listener;
  ControlCpu& cpu = t.rack.control_cpu(1);
  cpu.listen(listener);
  auto packet = t.rack.make_packet(cpu.node(), 9, 9);
  packet->payload_bytes = 18;
  packet->content = p4::Content::of(std::uint64_t{7});
  t.rack.server(0).nic().send_raw(models::Qpn{t.hosts[0]->qpn}, std::move(packet));
  auto answer = t.rack.make_packet(2, 9, static_cast<std::uint16_t>(t.hosts[2]->qpn));
  answer->payload_bytes = 18;
  answer->content = p4::Content::of(std::uint64_t{8});
  cpu.send(std::move(answer));
  t.calendar.run_until();
  CHECK(listener.seen == std::vector<std::uint64_t>{7});
  REQUIRE(t.hosts[2]->seen.size() == 1);
  CHECK(t.hosts[2]->seen[0].what == 8);
}

TEST_CASE("Groups of servers are of one switch") {
  TestRack t(two_racks());
  CHECK_THROWS_AS(t.rack.join(1, 0), std::logic_error);
}

}  // namespace rack_racks_test
