#include "models/switch/switch_chassis.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "models/switch/control_cpu.hpp"
#include "tests/models/rack_fixture.hpp"

namespace switch_chassis_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

// n cycles of 1.22 GHz, rounded up to the picosecond.
sim::Duration cycles(std::uint64_t n) {
  return sim::Duration::from_ps((n * 100'000 + 121) / 122);
}

void install_exercise(TestRack& t, bool egress_counts) {
  t.rack.install_program(
      exercise_program(egress_counts, static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0))));
  t.rack.chassis().replication().set_group(1, {{.rid = 5, .ports = {1, 2}}, {.rid = 6, .ports = {3}}});
}

// From the instant of sending to the instant when the last bit is at the switch, for a 64-byte frame.
constexpr auto kToSwitch = 175_ns + 110_ns + 6'720_ps + 10_ns;
// From the start on the wire out of the switch to the call of the handler: wire, link, NIC, DMA of 60 bytes, PCIe, CPU.
constexpr auto kFromSwitch = 6'720_ps + 10_ns + 100_ns + 4'800_ps + 175_ns + 60_ns;

constexpr std::uint16_t kForEver = 14;

/// Recirculates what has the UDP source port kForEver whenever it comes by, and forwards all else.
std::shared_ptr<const p4::Program> carousel(std::uint16_t recirculation_port, bool egress_counts) {
  using namespace p4;
  auto program = std::make_shared<Program>("carousel", "keeps some packets for ever");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  append_forwarding_parser(p, Gress::egress);
  auto& again = p.action("again").set(p.intrinsics().ucast_egress_port, recirculation_port);
  p.ingress()
      .if_(p.valid<Udp>() == 1 && p.header_field(&Udp::src_port) == kForEver)
      .then([&](Block& b) { b.apply(again); })
      .else_([&](Block& b) { append_forwarding(p, b); });
  if (egress_counts) {
    auto& count = p.register_array("EGRESS_COUNT", Width::single(32), 64);
    auto& add = count.action("add");
    add.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
    p.egress().apply(p.action("egress_add").execute(add, p.intrinsics().egress_port, p.field("counted", 32)));
  }
  return program;
}

/// Recirculates a packet as often as its time to live says, which each round takes one from, and then forwards it.
/// What has the UDP source port kForEver goes round for ever, unchanged, and egress does nothing.
std::shared_ptr<const p4::Program> countdown(std::uint16_t recirculation_port) {
  using namespace p4;
  auto program = std::make_shared<Program>("countdown", "keeps packets for some rounds");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  const auto ttl = p.header_field(&Ipv4::ttl);
  auto& again = p.action("again").set(p.intrinsics().ucast_egress_port, recirculation_port);
  auto& older = p.action("older").set(p.intrinsics().ucast_egress_port, recirculation_port).sub(ttl, ttl, 1);
  p.ingress()
      .if_(p.header_field(&Udp::src_port) == kForEver)
      .then([&](Block& b) { b.apply(again); })
      .else_([&](Block& b) {
        b.if_(ttl != 0).then([&](Block& c) { c.apply(older); }).else_([&](Block& c) { append_forwarding(p, c); });
      });
  return program;
}

sim::Duration ingress(TestRack& t) {
  return 100_ns + cycles(t.rack.chassis().pipeline(0).latency_cycles(p4::Gress::ingress)) + 30_ns;
}
sim::Duration egress(TestRack& t) {
  return cycles(t.rack.chassis().pipeline(0).latency_cycles(p4::Gress::egress)) + 30_ns;
}

}  // namespace

TEST_CASE("A 64-byte packet crosses two links and the switch in a closed-form time and two events") {
  TestRack t;
  t.send(0, 5, 1);
  t.calendar.run_until();
  REQUIRE(t.hosts[5]->seen.size() == 1);
  CHECK(t.hosts[5]->seen[0].when == at(kToSwitch + ingress(t) + 100_ns + egress(t) + kFromSwitch));
  CHECK(t.calendar.executed() == 3);  // at the switch, at the NIC, on the core
}

TEST_CASE("Packets that arrive together take slots one cycle apart, in the order of their wires") {
  TestRack t;
  t.send(3, 0, 3);
  t.send(1, 4, 1);
  t.send(2, 5, 2);
  t.calendar.run_until();
  const auto first = at(kToSwitch + ingress(t) + 100_ns + egress(t) + kFromSwitch);
  CHECK(t.hosts[4]->seen.at(0).when == first);
  CHECK(t.hosts[5]->seen.at(0).when == first + cycles(1));
  CHECK(t.hosts[0]->seen.at(0).when == first + cycles(1) + cycles(1));
}

TEST_CASE("A resubmitted packet makes a second pass when the first has ended, and keeps its headers") {
  TestRack t;
  install_exercise(t, false);
  t.send(0, 1, 1, kResubmitted);
  t.calendar.run_until();
  REQUIRE(t.hosts[1]->seen.size() == 1);
  CHECK(t.hosts[1]->seen[0].identification == 77);
  CHECK(t.hosts[1]->seen[0].when == at(kToSwitch + ingress(t) * 2 + 100_ns + egress(t) + kFromSwitch));
  CHECK(t.counter("switch.resubmits") == 1);
  CHECK(t.counter("switch.ingress_passes") == 2);
}

TEST_CASE("Multicast copies leave a cycle apart in the group's order, each with its own egress fields") {
  TestRack t;
  install_exercise(t, false);
  // All three hosts share the queue pair number, so the destination port suits every copy.
  t.send(0, 1, 1, kMulticast);
  t.calendar.run_until();
  const auto first = at(kToSwitch + ingress(t) + 100_ns + egress(t) + kFromSwitch);
  for (NodeId node = 1; node <= 3; ++node) {
    REQUIRE(t.hosts[node]->seen.size() == 1);
    CHECK(t.hosts[node]->seen[0].when == first + cycles(1) * (node - 1));
  }
  CHECK(t.hosts[1]->seen[0].identification == 5);
  CHECK(t.hosts[2]->seen[0].identification == 5);
  CHECK(t.hosts[3]->seen[0].identification == 6);
  CHECK(t.rack.accounting().copied() == 3);
  CHECK(t.rack.accounting().absorbed() == 1);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("A recirculated packet goes through its pipe's recirculation port and ingress again") {
  TestRack t;
  install_exercise(t, false);
  t.send(0, 1, 1, kRecirculated);
  t.calendar.run_until();
  REQUIRE(t.hosts[1]->seen.size() == 1);
  const auto round = ingress(t) + 100_ns + egress(t);
  CHECK(t.hosts[1]->seen[0].when == at(kToSwitch + round + 6'720_ps + round + kFromSwitch));
  CHECK(t.counter("switch.recirculations") == 1);
}

TEST_CASE("A packet that recirculates n times takes n times serialisation, latency of the loopback and a pass") {
  RackOptions options = TestRack::small();
  auto& chassis = options.network_switch;
  chassis.passes = GENERATE(PassMode::fused, PassMode::stepped);
  chassis.skip_idle_passes = GENERATE(false, true);
  const sim::Duration latency = GENERATE(0_ps, 1_ps, 250_ns, 20_us);
  chassis.recirculation_latency = latency;
  const std::uint64_t rounds = GENERATE(0, 1, 2, 7);
  TestRack t(options);
  t.rack.install_program(countdown(static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0))));
  auto packet = t.rack.make_packet(1, 9, static_cast<std::uint16_t>(t.hosts[1]->qpn));
  packet->get<p4::Ipv4>().ttl = rounds;
  packet->payload_bytes = 64 - p4::kFcsBytes - packet->header_bytes();
  t.rack.server(0).nic().send_raw(models::Qpn{t.hosts[0]->qpn}, std::move(packet));
  t.calendar.run_until();
  const auto pass = ingress(t) + 100_ns + egress(t);
  REQUIRE(t.hosts[1]->seen.size() == 1);
  CHECK(t.hosts[1]->seen[0].when ==
        at(kToSwitch + (pass + 6'720_ps + latency) * static_cast<std::int64_t>(rounds) + pass + kFromSwitch));
  CHECK(t.counter("switch.recirculations") == rounds);
}

TEST_CASE("The rounds of a packet that circulates for ever are as long as its loopback says, run or skipped") {
  RackOptions options = TestRack::small();
  auto& chassis = options.network_switch;
  chassis.skip_idle_passes = GENERATE(false, true);
  const sim::Duration latency = GENERATE(0_ps, 1_ps, 250_ns, 20_us);
  chassis.recirculation_latency = latency;
  TestRack t(options);
  t.rack.install_program(countdown(static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0))));
  t.send(0, 1, 1, kForEver);
  const auto round = ingress(t) + 100_ns + egress(t) + 6'720_ps + latency;
  // A pass at the arrival and one after each round.
  for (const std::int64_t rounds : {1, 2, 50, 1000}) {
    t.calendar.run_until(at(kToSwitch + round * rounds - 1_ps));
    t.rack.chassis().settle();
    CHECK(t.counter("switch.recirculations") == static_cast<std::uint64_t>(rounds));
    t.calendar.run_until(at(kToSwitch + round * rounds));
    t.rack.chassis().settle();
    CHECK(t.counter("switch.recirculations") == static_cast<std::uint64_t>(rounds) + 1);
    CHECK(t.rack.chassis().packets_circulating() == 1);
  }
  CHECK((t.rack.chassis().events_skipped() > 900) == chassis.skip_idle_passes);
}

TEST_CASE("A packet on a loopback holds no cell, and a loss of power loses it though it ends after the boot") {
  RackOptions options = TestRack::small();
  options.network_switch.passes = GENERATE(PassMode::fused, PassMode::stepped);
  options.network_switch.recirculation_latency = 20_us;
  TestRack t(options);
  auto& chassis = t.rack.chassis();
  t.rack.install_program(carousel(static_cast<std::uint16_t>(chassis.recirculation_port(0)), false));
  t.send(0, 1, 1, kForEver);
  t.calendar.run_until(at(5_us));
  t.send(0, 1, 2);
  t.calendar.run_until(at(10_us));
  CHECK(chassis.packets_circulating() == 1);
  CHECK(chassis.traffic_manager().used_cells() == 1);  // of the other packet, which was the last to reach the buffer
  CHECK(chassis.traffic_manager().queue_cells(chassis.recirculation_port(0)) == 0);
  const auto off = t.calendar.now();
  chassis.announce_power_loss(off);
  chassis.power_off();
  t.calendar.run_until(off + 5_us);
  t.rack.restart_switch(off);
  CHECK(chassis.packets_circulating() == 1);
  t.calendar.run_until(off + 15_us);
  CHECK(chassis.packets_circulating() == 0);
  CHECK(t.rack.accounting().dropped(DropReason::wire_down) == 1);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("What a recirculation queue or the buffer has no room for is counted, and is a tail drop") {
  RackOptions options = TestRack::small();
  auto& chassis = options.network_switch;
  chassis.passes = GENERATE(PassMode::fused, PassMode::stepped);
  const bool buffer_is_full = GENERATE(false, true);
  chassis.queue_share = 0;
  chassis.queue_cells = buffer_is_full ? 100 : 3;
  if (buffer_is_full) chassis.buffer_cells = 3;
  chassis.recirculation_bits_per_second = 1'000'000'000;  // 672 ns a packet
  TestRack t(options);
  install_exercise(t, false);
  for (std::uint64_t i = 0; i < 10; ++i) t.send(0, 1, i, kRecirculated);
  t.calendar.run_until();
  // All come within 672 ns: three have room.
  CHECK(t.hosts[1]->seen.size() == 3);
  CHECK(t.counter("switch.recirculation_drops") == 7);
  CHECK(t.counter("packets.dropped.tail_drop") == 7);
  CHECK(t.rack.accounting().dropped() == 7);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("A full queue of a front port is no drop of recirculation") {
  RackOptions options = TestRack::small();
  options.network_switch.queue_share = 0;
  options.network_switch.queue_cells = 1;
  TestRack t(options);
  install_exercise(t, false);
  for (NodeId from = 0; from < 4; ++from) t.send(from, 5, from);
  t.calendar.run_until();
  CHECK(t.counter("packets.dropped.tail_drop") > 0);
  CHECK(t.counter("switch.recirculation_drops") == 0);
}

TEST_CASE("The packet buffer holds the cells of the packets that circulate, and none when no packet is left") {
  RackOptions options = TestRack::small();
  auto& chassis = options.network_switch;
  chassis.skip_idle_passes = GENERATE(false, true);
  chassis.recirculation_bits_per_second = 1'000'000'000;  // 672 ns a packet: one at least is always in the queue
  TestRack t(options);
  t.rack.install_program(countdown(static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0))));
  const auto balanced = [&] {
    const auto buffer = t.rack.chassis().buffer_balance(), queues = t.rack.chassis().queue_balance();
    return buffer.in_use == buffer.of_packets && queues.in_use == queues.of_packets;
  };
  for (NodeId from = 1; from < 4; ++from) t.send(from, 0, from, kForEver);
  bool always = true;
  while (t.calendar.now() < at(200_us)) {
    t.calendar.run_until(t.calendar.now() + 333_ns);
    always = always && balanced();
  }
  CHECK(always);
  CHECK(t.rack.chassis().packets_circulating() == 3);
  CHECK(t.rack.chassis().buffer_balance().in_use >= 1);
  // Cells that were lost on the way would show.
  auto leaking = t.rack.chassis().buffer_balance();
  leaking.in_use += 12;
  const auto leak = sim::check_conservation("the packet buffer", leaking, t.calendar.now());
  REQUIRE(leak);
  CHECK_THAT(leak->what, Catch::StartsWith("the packet buffer holds 12 cells of no packet at "));
  // A loss of power ends the rounds.
  const auto off = t.calendar.now() + 10_us;
  t.rack.chassis().announce_power_loss(off);
  t.calendar.run_until(off);
  t.rack.chassis().power_off();
  CHECK(balanced());
  t.calendar.run_until(off + 5_us);
  CHECK(balanced());
  t.rack.restart_switch(off);
  CHECK(t.rack.chassis().packets_held() == 0);
  CHECK(balanced());
  CHECK(t.rack.chassis().buffer_balance().in_use == 0);
}

TEST_CASE("A packet that came in by a recirculation port cannot be resubmitted") {
  TestRack t;
  install_exercise(t, false);
  auto packet = t.rack.make_packet(1, kResubmitted, static_cast<std::uint16_t>(t.hosts[1]->qpn));
  t.rack.accounting().create();
  t.rack.chassis().receive(std::move(packet), t.rack.chassis().recirculation_port(0));
  t.calendar.run_until();
  CHECK(t.rack.accounting().dropped(DropReason::switch_program) == 1);
  CHECK(t.hosts[1]->seen.empty());
}

TEST_CASE("Packets that circulate for ever are counted at every instant, and no others are") {
  RackOptions options = TestRack::small();
  options.network_switch.passes = GENERATE(PassMode::fused, PassMode::stepped);
  const bool egress_counts = GENERATE(false, true);
  TestRack t(options);
  auto& chassis = t.rack.chassis();
  t.rack.install_program(carousel(static_cast<std::uint16_t>(chassis.recirculation_port(0)), egress_counts));
  for (NodeId from = 1; from < 4; ++from) t.send(from, 0, from, kForEver);
  CHECK(chassis.packets_circulating() == 0);
  t.calendar.run_until(at(1_us));
  CHECK(chassis.packets_circulating() == 3);
  const auto rounds = t.counter("switch.recirculations");
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (NodeId from = 1; from < 4; ++from) t.send(from, 4, i);
  }
  bool always = true, others = false;
  while (t.calendar.now() < at(100_us)) {
    REQUIRE(t.calendar.run_one());
    always = always && chassis.packets_circulating() == 3;
    others = others || chassis.packets_held() > 3;
  }
  CHECK(always);
  if (options.network_switch.passes == PassMode::stepped || egress_counts) CHECK(others);
  CHECK(t.hosts[4]->seen.size() == 150);
  CHECK(t.rack.packets_in_flight() == 3);
  CHECK(t.counter("switch.recirculations") > rounds + 300);
  // A loss of power ends them.
  const auto off = t.calendar.now() + 1_us;
  chassis.announce_power_loss(off);
  t.calendar.run_until(off);
  chassis.power_off();
  t.calendar.run_until(off + 5_us);
  CHECK(chassis.packets_circulating() == 0);
  CHECK(t.rack.packets_in_flight() == 0);
  CHECK(t.rack.accounting().dropped() == 3);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("Packets that are forwarded, resubmitted or multicast do not circulate, and one round ends") {
  TestRack t;
  const bool egress_counts = GENERATE(false, true);
  install_exercise(t, egress_counts);
  for (int i = 0; i < 20; ++i) {
    t.send(0, 1, 1);
    t.send(1, 1, 1, kResubmitted);
    t.send(2, 1, 1, kMulticast);
  }
  std::uint64_t most = 0;
  while (t.calendar.run_one()) most = std::max(most, t.rack.chassis().packets_circulating());
  CHECK(most == 0);
  t.send(0, 1, 1, kRecirculated);
  while (t.calendar.run_one()) most = std::max(most, t.rack.chassis().packets_circulating());
  CHECK(most == 1);
  CHECK(t.rack.chassis().packets_circulating() == 0);
}

TEST_CASE("Each pipe has state of its own") {
  RackOptions options = TestRack::small();
  options.network_switch.ports_per_pipe = 4;
  TestRack t(options);
  install_exercise(t, false);
  for (std::uint64_t i = 0; i < 3; ++i) {
    t.send(0, 1, i, kCounted);
    t.send(6, 2, i, kCounted);
  }
  t.calendar.run_until();
  CHECK(t.rack.chassis().pipes() == 8);
  CHECK(t.hosts[1]->seen.back().identification == 3);
  CHECK(t.hosts[2]->seen.back().identification == 3);
  CHECK(t.rack.chassis().pipeline(0).registers().read(0, 1) == 3);
  CHECK(t.rack.chassis().pipeline(1).registers().read(0, 1) == 3);
  CHECK(t.rack.chassis().pipeline(2).registers().read(0, 1) == 0);
}

TEST_CASE("An overloaded port fills its queue and drops the tail; every packet is accounted for") {
  RackOptions options = TestRack::small();
  options.network_switch.buffer_cells = 300;
  TestRack t(options);
  for (int i = 0; i < 50; ++i) {
    for (NodeId from = 1; from < 8; ++from) t.send(from, 0, 1, 9, 1500);
  }
  for (int step = 0; step < 40; ++step) {
    t.calendar.run_until(t.calendar.now() + 500_ns);
    CHECK(t.rack.packets_in_flight() == static_cast<std::uint64_t>(t.rack.accounting().expected_in_flight()));
    CHECK(t.rack.chassis().traffic_manager().used_cells() <= 300);
  }
  t.calendar.run_until();
  const auto dropped = t.rack.accounting().dropped(DropReason::tail_drop);
  CHECK(dropped > 0);
  CHECK(t.hosts[0]->seen.size() == 350 - dropped);
  CHECK(t.rack.packets_in_flight() == 0);
}

TEST_CASE("Packets without a route are dropped by the program") {
  TestRack t;
  auto packet = t.rack.make_packet(200, 1, 1);
  t.rack.server(0).nic().send_raw(models::Qpn{t.hosts[0]->qpn}, std::move(packet));
  t.calendar.run_until();
  CHECK(t.rack.accounting().dropped(DropReason::switch_program) == 1);
}

TEST_CASE("Fused and stepped passes show the same events, state and final counts") {
  const auto run = [](PassMode mode, bool egress_counts, std::uint64_t seed) {
    RackOptions options = TestRack::small();
    options.network_switch.passes = mode;
    options.network_switch.ports_per_pipe = 4;
    options.network_switch.buffer_cells = 24;
    options.faults.loss = 0.02;
    options.faults.duplicate = 0.05;
    options.faults.reorder = 0.05;
    TestRack t(options, seed);
    install_exercise(t, egress_counts);
    struct Sender {
      TestRack& t;
      std::mt19937_64 random;
      void burst(NodeId from) {
        constexpr std::uint16_t kKinds[] = {9, kCounted, kResubmitted, kMulticast, kRecirculated};
        for (int i = 0; i < 3; ++i) {
          t.send(from, static_cast<NodeId>(random() % 8), random(), kKinds[random() % 5],
                 64 + static_cast<std::uint32_t>(random() % 600));
        }
      }
      void control(std::uint64_t value) {
        t.rack.control_cpu().write(value % 2, array_of(t.rack, "COUNT"), 1, value);
        t.rack.control_cpu().read(0, array_of(t.rack, "COUNT"), 1,
                                  [this](std::uint64_t read) { reads.push_back(read); });
        t.rack.control_cpu().set_entry(1, table_of(t.rack, "forward_by_mac"), {mac_of(2)},
                                       action_of(t.rack, "forward_to_port"), {value % 4});
      }
      std::vector<std::uint64_t> reads;
    } sender{t, std::mt19937_64(seed), {}};
    const auto lane = t.calendar.add_lane("sender");
    std::mt19937_64 random(seed + 1);
    for (int i = 0; i < 400; ++i) {
      t.calendar.at<&Sender::burst>(at(sim::Duration::from_ps(static_cast<std::int64_t>(random() % 40'000'000))), lane,
                                    sender, static_cast<NodeId>(random() % 8));
      if (i % 10 == 0) {
        t.calendar.at<&Sender::control>(at(sim::Duration::from_ps(static_cast<std::int64_t>(random() % 40'000'000))),
                                        lane, sender, random() % 1000);
      }
    }
    t.calendar.run_until();
    CHECK(t.rack.packets_in_flight() == 0);
    CHECK(t.rack.accounting().expected_in_flight() == 0);
    struct Outcome {
      std::string hash;
      std::vector<std::uint64_t> values;
      std::uint64_t events;
    } outcome{t.event_log.hash().hex(), sender.reads, t.calendar.executed()};
    for (unsigned pipe = 0; pipe < 2; ++pipe) {
      outcome.values.push_back(t.rack.chassis().pipeline(pipe).registers().read(0, 1));
    }
    for (const auto& [name, metric] : t.metrics.all()) {
      if (const auto* counter = std::get_if<sim::Counter>(&metric.value)) outcome.values.push_back(counter->value);
    }
    CHECK(t.event_log.count(sim::Observed::switch_state) > 100);
    CHECK(t.rack.accounting().dropped(DropReason::tail_drop) > 0);
    return outcome;
  };
  for (const bool egress_counts : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto fused = run(PassMode::fused, egress_counts, seed);
      const auto stepped = run(PassMode::stepped, egress_counts, seed);
      CHECK(fused.hash == stepped.hash);
      CHECK(fused.values == stepped.values);
      CHECK(stepped.events > fused.events);
      CHECK(run(PassMode::fused, egress_counts, seed).hash == fused.hash);
      CHECK(run(PassMode::fused, egress_counts, seed + 100).hash != fused.hash);
    }
  }
}

}  // namespace switch_chassis_test
