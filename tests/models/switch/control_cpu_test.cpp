#include "models/switch/control_cpu.hpp"

#include <catch2/catch.hpp>

#include "models/switch/control_session.hpp"
#include "p4model/execute/forwarding.hpp"
#include "sim/kernel/task.hpp"
#include "tests/models/rack_fixture.hpp"

namespace control_cpu_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {
// The network port of the control CPU with somebody behind it.
struct Networked : TestRack, PacketHandler {
  explicit Networked(const RackOptions& options = small(), bool listens = true) : TestRack(options) {
    if (listens) rack.control_cpu().listen(*this);
  }
  void on_packet(p4::PacketRef packet) override {
    seen.push_back({packet->content.as<std::uint64_t>(), packet->get<p4::Ipv4>().src, calendar.now()});
  }
  p4::PacketRef packet_to(NodeId to, std::uint64_t what, std::uint16_t destination_port) {
    auto packet = rack.make_packet(to, 9, destination_port);
    packet->payload_bytes = 64 - p4::kFcsBytes - packet->header_bytes();
    packet->content = p4::Content::of(std::uint64_t{what});
    return packet;
  }
  void to_control(NodeId from, std::uint64_t what) {
    rack.server(from).nic().send_raw(models::Qpn{hosts[from]->qpn}, packet_to(kControlCpuNode, what, 7));
  }
  void from_control(NodeId to, std::uint64_t what) {
    rack.control_cpu().send(packet_to(to, what, static_cast<std::uint16_t>(hosts[to]->qpn)));
  }
  bool balanced() {
    return rack.packets_in_flight() == static_cast<std::uint64_t>(rack.accounting().expected_in_flight());
  }
  // Runs event by event and compares both counts of packets after each.
  void run_balanced() {
    bool always = true;
    while (calendar.run_one()) always = always && balanced();
    CHECK(always);
    CHECK(rack.packets_in_flight() == 0);
  }
  // Through ingress, an empty queue and egress.
  sim::Duration switch_time() { return rack.chassis().ingress_latency() + 100_ns + rack.chassis().egress_latency(); }

  struct Seen {
    std::uint64_t what, from;
    sim::Time when;
  };
  std::vector<Seen> seen;
};

// A 64-byte frame takes 84 bytes of a wire: 6.72 ns at 100 Gbit/s, 67.2 ns at the 10 Gbit/s of the CPU port.
constexpr auto kToSwitch = 175_ns + 110_ns + 6'720_ps + 10_ns;
constexpr auto kFromSwitch = 6'720_ps + 10_ns + 100_ns + 4'800_ps + 175_ns + 60_ns;
constexpr auto kControlWire = 67'200_ps + 900_ns;

// COUNT has four entries of 32 bits, which is one word of 128: so long at 31.5 Gbit/s, rounded up to the picosecond.
constexpr auto kBlock = 4'064_ps;

struct Programmed : TestRack {
  Programmed() {
    rack.install_program(exercise_program(false, 32));
    count = array_of(rack, "COUNT");
  }
  ControlCpu& cpu = rack.control_cpu();
  ControlSession session{cpu, 0};
  const p4::RegisterArray* count = nullptr;
};
}  // namespace

TEST_CASE("A register read takes PCIe both ways and one pass, and later ones wait for the rate limit") {
  Programmed t;
  t.rack.chassis().pipeline(0).registers().write(0, 1, 42);
  std::vector<std::pair<std::uint64_t, sim::Time>> results;
  for (int i = 0; i < 3; ++i) {
    t.cpu.read(0, t.count, 1, [&](std::uint64_t value) { results.emplace_back(value, t.calendar.now()); });
  }
  CHECK(t.cpu.outstanding() == 3);
  t.calendar.run_until();
  REQUIRE(results.size() == 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(results[static_cast<std::size_t>(i)].first == 42);
    CHECK(results[static_cast<std::size_t>(i)].second ==
          at(1_us * i + 900_ns * 2 + t.rack.chassis().ingress_latency()));
  }
  CHECK(t.cpu.outstanding() == 0);
}

TEST_CASE("A write is seen by passes in later slots and recorded") {
  Programmed t;
  t.cpu.write(0, t.count, 1, 100);
  t.send(0, 1, 1, kCounted);
  t.calendar.run_until();
  t.send(0, 1, 2, kCounted);
  t.calendar.run_until();
  // The first packet is at the switch before the write, which takes 900 ns.
  CHECK(t.hosts[1]->seen.at(0).identification == 1);
  CHECK(t.hosts[1]->seen.at(1).identification == 101);
  CHECK(t.event_log.count(sim::Observed::switch_state) == 3);
}

TEST_CASE("Clearing an array sets all entries to 0 in one operation, when its words have crossed PCIe") {
  Programmed t;
  auto& registers = t.rack.chassis().pipeline(0).registers();
  for (const std::uint64_t index : {0, 1, 3}) registers.write(0, index, 40 + index);
  t.rack.chassis().pipeline(1).registers().write(0, 1, 9);
  std::vector<sim::Time> done;
  t.cpu.clear(0, t.count, [&](std::uint64_t result) {
    CHECK(result == 1);
    done.push_back(t.calendar.now());
  });
  CHECK(t.cpu.outstanding() == 1);
  t.calendar.run_until(at(kBlock + 900_ns - 1_ps));
  CHECK(registers.read(0, 3) == 43);
  t.calendar.run_until(at(kBlock + 900_ns));
  for (std::uint64_t index = 0; index < registers.size(0); ++index) CHECK(registers.read(0, index) == 0);
  CHECK(t.rack.chassis().pipeline(1).registers().read(0, 1) == 9);
  t.calendar.run_until();
  REQUIRE(done.size() == 1);
  CHECK(done[0] == at(kBlock + 900_ns * 2 + t.rack.chassis().ingress_latency()));
  CHECK(t.counter("switch.control_slots") == 1);
  CHECK(t.event_log.count(sim::Observed::switch_state) == 3);  // one entry was 0
}

TEST_CASE("Clearing an array takes its place among the operations, and the next one waits for its words") {
  Programmed t;
  std::vector<std::pair<std::uint64_t, sim::Time>> results;
  const auto note = [&](std::uint64_t value) { results.emplace_back(value, t.calendar.now()); };
  t.cpu.write(0, t.count, 0, 5);
  t.cpu.write(0, t.count, 1, 6);
  t.cpu.read(0, t.count, 0, note);
  t.cpu.clear(0, t.count, note);
  t.cpu.write(0, t.count, 1, 7);
  t.cpu.read(0, t.count, 0, note);
  t.cpu.read(0, t.count, 1, note);
  t.calendar.run_until();
  const auto there_and_back = 900_ns * 2 + t.rack.chassis().ingress_latency();
  CHECK(results == std::vector<std::pair<std::uint64_t, sim::Time>>{{5, at(2_us + there_and_back)},
                                                                    {1, at(3_us + kBlock + there_and_back)},
                                                                    {0, at(5_us + kBlock + there_and_back)},
                                                                    {7, at(6_us + kBlock + there_and_back)}});
}

TEST_CASE("A slow control CPU clears arrays later, and operations behind it wait as for all others") {
  Programmed t;
  t.rack.chassis().pipeline(0).registers().write(0, 1, 9);
  t.cpu.set_delay(4, 3_us);
  std::vector<sim::Time> done;
  const auto note = [&](std::uint64_t) { done.push_back(t.calendar.now()); };
  t.cpu.clear(0, t.count, note);
  t.cpu.read(0, t.count, 1, note);
  t.calendar.run_until();
  const auto there_and_back = 900_ns * 2 + 3_us + t.rack.chassis().ingress_latency();
  CHECK(done == std::vector<sim::Time>{at(kBlock + there_and_back), at(4_us + kBlock + there_and_back)});
}

TEST_CASE("A task waits until an array is cleared") {
  Programmed t;
  t.rack.chassis().pipeline(0).registers().write(0, 2, 9);
  sim::Scope scope(t.calendar);
  std::uint64_t left = 1;
  scope.spawn([](Programmed& t, std::uint64_t& found) -> sim::Task<void> {
    co_await t.session.clear(t.count);
    found = co_await t.session.read(t.count, 2);
  }(t, left));
  t.calendar.run_until();
  CHECK(left == 0);
}

TEST_CASE("A task may be destroyed at any instant while it waits for the control CPU, which does what was posted") {
  struct Waiting : Programmed {
    sim::Task<void> count_up() {
      co_await session.write(count, 1, 42);
      results.push_back(co_await session.read(count, 1));
    }
    std::vector<std::uint64_t> results;
  };
  sim::Duration whole{};
  {
    Waiting t;
    sim::Scope tasks(t.calendar);
    tasks.spawn(t.count_up());
    t.calendar.run_until();
    CHECK(t.results == std::vector<std::uint64_t>{42});
    whole = t.calendar.now() - sim::Time{};
  }
  for (int part = 0; part <= 20; ++part) {
    Waiting t;
    sim::Scope tasks(t.calendar);
    tasks.spawn(t.count_up());
    t.calendar.run_until(sim::Time{} + whole / 20 * part);
    const std::size_t before = t.results.size();
    tasks.cancel_all();
    t.calendar.run_until();
    CHECK(t.results.size() == before);
    CHECK(t.cpu.outstanding() == 0);
    CHECK(t.rack.chassis().pipeline(0).registers().read(0, 1) == 42);
  }
}

TEST_CASE("Table entries can be changed and removed while packets pass") {
  Programmed t;
  std::vector<std::uint64_t> results;
  const auto note = [&](std::uint64_t result) { results.push_back(result); };
  t.cpu.set_entry(0, table_of(t.rack, "forward_by_mac"), {mac_of(1)}, action_of(t.rack, "forward_to_port"), {2}, note);
  t.calendar.run_until();
  t.send(0, 1, 1);
  t.calendar.run_until();
  CHECK(t.rack.downlink(2).packets_sent() == 1);  // its NIC drops what is addressed to node 1
  t.cpu.remove_entry(0, table_of(t.rack, "forward_by_mac"), {mac_of(1)}, note);
  t.cpu.remove_entry(0, table_of(t.rack, "forward_by_mac"), {mac_of(1)}, note);
  t.calendar.run_until();
  t.send(0, 1, 2);
  t.calendar.run_until();
  CHECK(t.hosts[1]->seen.size() == 1);  // by its IPv4 address
  CHECK(results == std::vector<std::uint64_t>{1, 1, 0});
}

TEST_CASE("Entries in TCAM are set and removed by what they match and their priority") {
  TestRack t;
  auto program = std::make_shared<p4::Program>("redirect");
  p4::append_forwarding_parser(*program, p4::Gress::ingress);
  p4::append_forwarding(*program, program->ingress());
  auto& redirect_to = program->action("redirect_to");
  redirect_to.set(program->intrinsics().ucast_egress_port, redirect_to.data("port", 9));
  program->ingress().apply(program->table("redirect")
                               .key(program->intrinsics().ingress_port, p4::MatchKind::ternary)
                               .size(8)
                               .action(redirect_to));
  t.rack.install_program(program);
  const auto sent_to = [&](std::size_t node) { return t.rack.downlink(static_cast<NodeId>(node)).packets_sent(); };
  // Whose port it left by: NICs drop what is addressed to others.
  const auto arrived_at = [&](NodeId from) {
    std::vector<std::uint64_t> before;
    for (std::size_t node = 0; node < t.hosts.size(); ++node) before.push_back(sent_to(node));
    t.send(from, 1, 1);
    t.calendar.run_until();
    for (std::size_t node = 0; node < t.hosts.size(); ++node) {
      if (sent_to(node) != before[node]) return node;
    }
    return t.hosts.size();
  };
  std::vector<std::uint64_t> results;
  const auto note = [&](std::uint64_t result) { results.push_back(result); };
  auto& cpu = t.rack.control_cpu();
  const auto from_node_0 = p4::KeyMatch::masked(t.rack.port_of(0), 0x1ff);
  CHECK(arrived_at(0) == 1);
  cpu.set_entry(0, table_of(t.rack, "redirect"), {p4::KeyMatch::any()}, action_of(t.rack, "redirect_to"),
                {t.rack.port_of(2)}, note, 5);
  cpu.set_entry(0, table_of(t.rack, "redirect"), {from_node_0}, action_of(t.rack, "redirect_to"), {t.rack.port_of(3)},
                note, 4);
  t.calendar.run_until();
  CHECK(arrived_at(0) == 3);
  cpu.remove_entry(0, table_of(t.rack, "redirect"), {from_node_0}, note, 5);  // there is none of this priority
  cpu.remove_entry(0, table_of(t.rack, "redirect"), {from_node_0}, note, 4);
  t.calendar.run_until();
  CHECK(arrived_at(0) == 2);
  CHECK(results == std::vector<std::uint64_t>{0, 0, 0, 1});
}

TEST_CASE(
    "Groups are set in the operation's slot, one after the other at the rate limit, and not by one of an old boot") {
  TestRack t;
  auto& cpu = t.rack.control_cpu();
  auto& chassis = t.rack.chassis();
  const auto set = [&](std::uint16_t group) {
    cpu.change_replication([group](p4::ReplicationEngine& engine) { engine.set_group(group, {{1, {0}}}); });
  };
  set(1);
  set(2);
  t.calendar.run_until(at(899_ns));
  CHECK(chassis.replication().groups() == 0);
  t.calendar.run_until(at(1'800_ns));
  CHECK(chassis.replication().groups() == 1);
  t.calendar.run_until(at(5_us));
  CHECK(chassis.replication().groups() == 2);
  const auto off = at(10_us);
  chassis.announce_power_loss(off);
  t.calendar.run_until(at(9'800_ns));
  set(3);  // would arrive while the power is off
  t.calendar.run_until(off);
  chassis.power_off();
  t.rack.restart_switch(off);
  t.calendar.run_until(at(20_us));
  CHECK(chassis.replication().groups() == 0);
}

TEST_CASE("Operations that were posted before the switch booted end without effect") {
  Programmed t;
  const auto off = at(10_us);
  t.rack.chassis().announce_power_loss(off);
  std::vector<std::uint64_t> results;
  const auto note = [&](std::uint64_t result) { results.push_back(result); };
  const auto post = [&] {
    t.cpu.write(0, t.count, 1, 42, note);
    t.cpu.set_entry(0, table_of(t.rack, "forward_by_mac"), {mac_of(1)}, action_of(t.rack, "forward_to_port"), {2},
                    note);
    t.cpu.read(0, t.count, 1, note);
  };
  t.calendar.run_until(at(9'800_ns));
  post();  // would arrive while the power is off
  t.calendar.run_until(off);
  t.rack.chassis().power_off();
  t.calendar.run_until(at(20_us));
  post();
  CHECK(results.empty());
  t.rack.restart_switch(off);
  t.calendar.run_until(at(30_us));
  CHECK(results == std::vector<std::uint64_t>(6, 0));
  CHECK(t.rack.chassis().pipeline(0).registers().read(0, 1) == 0);
  t.send(0, 1, 1);
  t.calendar.run_until(at(40_us));
  CHECK(t.hosts[1]->seen.size() == 1);  // not to node 2
  post();
  t.calendar.run_until(at(50_us));
  CHECK(std::vector<std::uint64_t>(results.begin() + 6, results.end()) == std::vector<std::uint64_t>{1, 1, 42});
}

TEST_CASE("Handles of another program, none at all, and unknown indices are refused when they are posted") {
  Programmed t;
  // The same in every way but that another program's object it is: with its number and its name.
  Programmed other;
  other.rack.install_program(exercise_program(true, 32));
  const auto* table = table_of(t.rack, "forward_by_mac");
  const auto* action = action_of(t.rack, "forward_to_port");
  const std::string array_refused = "the register array 'COUNT' is of another program than the switch's 'exercise'";
  const auto* foreign = array_of(other.rack, "COUNT");
  REQUIRE(foreign->id == t.count->id);
  CHECK_THROWS_WITH(t.cpu.read(0, foreign, 0, {}), array_refused);
  CHECK_THROWS_AS(t.cpu.write(0, foreign, 0, 0), WrongProgram);
  CHECK_THROWS_AS(t.cpu.clear(0, foreign), WrongProgram);
  CHECK_THROWS_WITH(t.cpu.set_entry(0, table_of(other.rack, "forward_by_mac"), {1}, action, {2}),
                    "the table 'forward_by_mac' is of another program than the switch's 'exercise'");
  CHECK_THROWS_WITH(t.cpu.set_entry(0, table, {1}, action_of(other.rack, "forward_to_port"), {2}),
                    "the action 'forward_to_port' is of another program than the switch's 'exercise'");
  CHECK_THROWS_AS(t.cpu.remove_entry(0, table_of(other.rack, "forward_by_mac"), {1}), WrongProgram);
  CHECK_THROWS_WITH(t.cpu.read(0, nullptr, 0, {}), "no register array of the switch's program 'exercise' is given");
  CHECK_THROWS_AS(t.cpu.write(0, t.count, 4, 0), std::runtime_error);
  CHECK(t.cpu.outstanding() == 0);
}

TEST_CASE("A server's packet reaches the control CPU a control latency after it has left the switch") {
  Networked t;
  t.to_control(3, 42);
  t.run_balanced();
  REQUIRE(t.seen.size() == 1);
  CHECK(t.seen[0].what == 42);
  CHECK(t.seen[0].from == ipv4_of(3));
  CHECK(t.seen[0].when == at(kToSwitch + t.switch_time() + kControlWire));
  CHECK(t.rack.accounting().created() == 1);
  CHECK(t.rack.accounting().delivered() == 1);
  CHECK(t.event_log.count(sim::Observed::message_sent) == 1);
  CHECK(t.event_log.count(sim::Observed::message_delivered) == 1);
  CHECK(t.counter("switch.packets_out") == 0);  // by a front port
}

TEST_CASE("The control CPU's packet reaches a server's raw queue pair, from its own addresses") {
  Networked t;
  t.from_control(5, 43);
  CHECK(t.rack.control_cpu().packets_held() == 1);
  t.run_balanced();
  REQUIRE(t.hosts[5]->seen.size() == 1);
  CHECK(t.hosts[5]->seen[0].what == 43);
  CHECK(t.hosts[5]->seen[0].when == at(kControlWire + t.switch_time() + kFromSwitch));
  CHECK(t.rack.accounting().created() == 1);
  CHECK(t.rack.accounting().delivered() == 1);
  CHECK(t.seen.empty());
  CHECK(t.counter("switch.packets_in") == 0);  // by a front port
}

TEST_CASE("The control CPU talks to all servers at once, also past the first pipe, and nothing is lost or made") {
  RackOptions options = TestRack::small();
  options.network_switch.ports_per_pipe = 4;
  options.network_switch.passes = GENERATE(PassMode::fused, PassMode::stepped);
  Networked t(options);
  t.rack.install_program(exercise_program(GENERATE(false, true), 32));
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (NodeId node = 0; node < 8; ++node) {
      t.to_control(node, i);
      t.from_control(node, i);
      t.send(node, (node + 1) % 8, 1'000 + i);
    }
  }
  t.run_balanced();
  CHECK(t.seen.size() == 160);
  for (const auto& host : t.hosts) CHECK(host->seen.size() == 40);
  CHECK(t.rack.accounting().dropped() == 0);
  CHECK(t.rack.accounting().created() == 480);
  CHECK(t.rack.chassis().packets_circulating() == 0);
}

TEST_CASE("What the control CPU sends may come back to it") {
  Networked t;
  t.rack.control_cpu().send(t.packet_to(kControlCpuNode, 44, 7));
  t.run_balanced();
  REQUIRE(t.seen.size() == 1);
  CHECK(t.seen[0].from == ipv4_of(kControlCpuNode));
  CHECK(t.seen[0].when == at(kControlWire + t.switch_time() + kControlWire));
}

TEST_CASE("Without a listener the control CPU has no network port") {
  Networked t(TestRack::small(), false);
  CHECK_FALSE(t.rack.control_cpu().listening());
  CHECK_THROWS_AS(t.from_control(1, 1), std::logic_error);
  t.to_control(1, 1);
  t.run_balanced();
  CHECK(t.rack.accounting().dropped(DropReason::no_port) == 1);
  t.rack.control_cpu().listen(t);
  CHECK(t.rack.control_cpu().listening());
  CHECK_THROWS_AS(t.rack.control_cpu().listen(t), std::logic_error);
  t.to_control(1, 2);
  t.run_balanced();
  CHECK(t.seen.size() == 1);
}

TEST_CASE("While the switch is off packets from and to the control CPU are lost, and afterwards they arrive again") {
  Networked t;
  const auto off = at(10_us);
  t.rack.chassis().announce_power_loss(off);
  t.calendar.run_until(at(9_us));
  t.from_control(1, 1);  // at the switch at 9.967 us, inside at 10 us
  t.calendar.run_until(off);
  t.rack.chassis().power_off();
  t.from_control(1, 2);
  t.to_control(2, 3);
  t.calendar.run_until(at(20_us));
  CHECK(t.seen.empty());
  CHECK(t.hosts[1]->seen.empty());
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) == 3);
  CHECK(t.balanced());
  t.rack.restart_switch(off);
  t.from_control(1, 4);
  t.to_control(2, 5);
  t.run_balanced();
  REQUIRE(t.hosts[1]->seen.size() == 1);
  CHECK(t.hosts[1]->seen[0].what == 4);
  REQUIRE(t.seen.size() == 1);
  CHECK(t.seen[0].what == 5);
}

}  // namespace control_cpu_test
