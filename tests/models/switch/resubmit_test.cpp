// A resubmitted packet competes for a slot of its pipe like any other (docs/hardware.md 6.5): when it gets one, in
// which order, and what it brings along.
#include <catch2/catch.hpp>
#include <queue>
#include <random>
#include <tuple>

#include "models/switch/switch_chassis.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace resubmit_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// A pass that begins: when, whose, and whether it is the second.
struct BegunPass {
  sim::Time at;
  std::uint64_t serial = 0;
  bool again = false;
  bool operator==(const BegunPass&) const = default;
};

/// When packets arrive at the switch, and when their passes begin.
struct Slots final : PacketObserver {
  struct Arrival {
    sim::Time at;
    NodeId from = 0;
    std::uint64_t serial = 0;
    bool resubmits = false;
  };
  explicit Slots(TestRack& t) : rack(t) { t.rack.context().add_packet_observer(*this); }
  void on_wire(const p4::Packet& packet, const WirePassage& passage) override {
    const NodeId from = origin_of(packet.serial);
    if (passage.wire != rack.rack.uplink(from).source()) return;
    arrivals.push_back({passage.arrival, from, packet.serial, packet.get<p4::Udp>().src_port == kResubmitted});
  }
  void pass_begins(const p4::Packet& packet, unsigned, sim::Time at, bool resubmitted) override {
    passes.push_back({at, packet.serial, resubmitted});
  }
  void dropped(const p4::Packet&, sim::Source, sim::Time, DropReason) override {}
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void switch_written(const SwitchWrite&) override {}

  TestRack& rack;
  std::vector<Arrival> arrivals;
  std::vector<BegunPass> passes;
};

sim::Duration first_pass(TestRack& t) {
  return t.rack.chassis().ingress_latency();
}

/// One slot a cycle, first come first served; of those that come at one instant a resubmitted packet is before those
/// from the wires, and these are in the order of their ports.
std::vector<BegunPass> expected_passes(const Slots& slots, sim::Duration ingress, sim::Duration cycle) {
  using Waiting = std::tuple<sim::Time, unsigned, std::uint64_t, bool, bool>;  // since, rank, serial, resubmits, again
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  for (const auto& a : slots.arrivals) waiting.emplace(a.at, a.from + 1u, a.serial, a.resubmits, false);
  std::vector<BegunPass> passes;
  sim::Time next;
  while (!waiting.empty()) {
    const auto [since, rank, serial, resubmits, again] = waiting.top();
    waiting.pop();
    const sim::Time slot = std::max(since, next);
    next = slot + cycle;
    passes.push_back({slot, serial, again});
    if (resubmits && !again) waiting.emplace(slot + ingress, 0, serial, resubmits, true);
  }
  return passes;
}

/// What a program gets and gives in each pass.
struct Metadata final : PassObserver {
  struct Pass {
    p4::IngressMetadata metadata;
    std::uint64_t ttl = 0, identification = 0;
  };
  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override {
    const auto& ip = packet.get<p4::Ipv4>();
    passes.push_back({metadata, ip.ttl, ip.identification});
  }
  void after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) override {}
  std::vector<Pass> passes;
};

constexpr std::uint64_t kEightBytes = 0xfedc'ba98'7654'3210;

/// Changes a header and resubmits with eight bytes; the second pass stamps what it has of the packet's time to live.
std::shared_ptr<const p4::Program> changes_and_resubmits() {
  using namespace p4;
  auto program = std::make_shared<Program>("twice", "resubmits what it has changed");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  const auto& in = p.intrinsics();
  const auto ttl = p.header_field(&Ipv4::ttl), stamp = p.header_field(&Ipv4::identification);
  p.ingress()
      .if_(in.resubmit_flag == 0)
      .then([&](Block& b) {
        b.apply(p.action("first").set(ttl, 1).set(in.resubmit, 1).set(in.resubmit_value, kEightBytes));
      })
      .else_([&](Block& b) {
        b.apply(p.action("second").set(stamp, ttl));
        append_forwarding(p, b);
      });
  return program;
}

}  // namespace

TEST_CASE(
    "A resubmitted packet is at the slots when its first pass has ended: before what comes then, after what came") {
  RackOptions options = TestRack::small();
  options.network_switch.passes = GENERATE(PassMode::fused, PassMode::stepped);
  FaultyRack probe(options);
  const sim::Duration cycle = probe.rack.chassis().cycle();
  const sim::Duration offset = GENERATE_COPY(-cycle, -1_ps, 0_ps, 1_ps, cycle - 1_ps, cycle, cycle + 1_ps);
  FaultyRack t(options);
  Slots slots(t);
  t.rack.install_program(exercise_program(false, 32));
  const auto both = [&](sim::Duration apart) {
    t.send(0, 1, 1, kResubmitted);
    t.send_at(apart, 2, 3, 2);
  };
  both(first_pass(t) + offset);
  t.calendar.run_until();
  REQUIRE(slots.arrivals.size() == 2);
  const sim::Time arrival = slots.arrivals[0].at, back = arrival + first_pass(t), other = slots.arrivals[1].at;
  CHECK(other == back + offset);
  // A slot that is taken a picosecond before leaves the next one a cycle later, whoever is first.
  const bool other_first = offset < 0_ps;
  const sim::Time second = other_first ? std::max(back, other + cycle) : back;
  const sim::Time plain = other_first ? other : std::max(other, back + cycle);
  std::vector<BegunPass> expected{{arrival, slots.arrivals[0].serial, false},
                                  {second, slots.arrivals[0].serial, true},
                                  {plain, slots.arrivals[1].serial, false}};
  if (other_first) std::swap(expected[1], expected[2]);
  CHECK(slots.passes == expected);
  // And everything after a pass follows from its slot.
  CHECK((t.hosts[1]->seen.at(0).when - t.hosts[3]->seen.at(0).when) == second - plain);
}

TEST_CASE("Passes of a crowd in which many are resubmitted begin as first come, first served gives it") {
  const bool jittery = GENERATE(false, true);
  for (const PassMode mode : {PassMode::fused, PassMode::stepped}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO("seed " << seed);
      RackOptions options = TestRack::small();
      options.network_switch.passes = mode;
      options.network_switch.buffer_cells = 100'000;
      if (jittery) options.faults.jitter = 3_ns;
      FaultyRack t(options, seed);
      Slots slots(t);
      t.rack.install_program(exercise_program(false, 32));
      struct Senders {
        TestRack& t;
        void send(NodeId from, std::uint64_t draw) {
          t.send(from, static_cast<NodeId>(draw % 8), draw, draw / 8 % 2 == 0 ? kResubmitted : std::uint16_t{9});
        }
      } senders{t};
      std::mt19937_64 random(seed);
      for (int i = 0; i < 600; ++i) {
        const auto when = at(sim::Duration::from_ps(static_cast<std::int64_t>(random() % 2'000'000)));
        t.calendar.at<&Senders::send>(when, t.lane, senders, static_cast<NodeId>(random() % 8), random());
      }
      t.calendar.run_until();
      const auto expected = expected_passes(slots, first_pass(t), t.rack.chassis().cycle());
      CHECK(slots.passes == expected);
      // The crowd is one: slots are waited for, by second passes too.
      std::size_t busy = 0;
      for (std::size_t i = 1; i < expected.size(); ++i) {
        busy += expected[i].again && expected[i].at == expected[i - 1].at + t.rack.chassis().cycle();
      }
      CHECK(busy > 20);
      CHECK(t.counter("switch.ingress_passes") == expected.size());
    }
  }
}

TEST_CASE("A second pass has the packet as it came in, its port, the flag, and the eight bytes of the first") {
  TestRack t;
  Metadata seen;
  t.rack.install_program(changes_and_resubmits());
  t.rack.chassis().add_pass_observer(seen);
  auto packet = t.rack.make_packet(3, 9, static_cast<std::uint16_t>(t.hosts[3]->qpn));
  packet->get<p4::Ipv4>().ttl = 99;
  packet->payload_bytes = 22;
  t.rack.server(6).nic().send_raw(models::Qpn{t.hosts[6]->qpn}, std::move(packet));
  t.calendar.run_until();
  REQUIRE(seen.passes.size() == 2);
  const auto& [first, second] = std::tie(seen.passes[0], seen.passes[1]);
  CHECK_FALSE(first.metadata.resubmitted);
  CHECK(first.metadata.resubmit_data == 0);
  CHECK(second.metadata.resubmitted);
  CHECK(second.metadata.resubmit_data == kEightBytes);
  CHECK(first.metadata.port == t.rack.port_of(6));
  CHECK(second.metadata.port == first.metadata.port);
  CHECK(second.ttl == 99);
  // The program saw the same, stepped as well as fused.
  CHECK(t.hosts[3]->seen.at(0).identification == 99);
  RackOptions options = TestRack::small();
  options.network_switch.passes = PassMode::stepped;
  TestRack stepped(options);
  stepped.rack.install_program(changes_and_resubmits());
  auto again = stepped.rack.make_packet(3, 9, static_cast<std::uint16_t>(stepped.hosts[3]->qpn));
  again->get<p4::Ipv4>().ttl = 99;
  again->payload_bytes = 22;
  stepped.rack.server(6).nic().send_raw(models::Qpn{stepped.hosts[6]->qpn}, std::move(again));
  stepped.calendar.run_until();
  CHECK(stepped.hosts[3]->seen.at(0).identification == 99);
  CHECK(stepped.hosts[3]->seen.at(0).when == t.hosts[3]->seen.at(0).when);
}

}  // namespace resubmit_test
