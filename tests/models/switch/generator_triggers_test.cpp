// What triggers the packet generator beside time: ports that go down, by faults too, and packets that come round.
#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "p4model/language/generated_packet.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace generator_triggers_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

using Trigger = GeneratorApp::Trigger;

/// Tells the control CPU of generated packets; packets of others go once round, by the recirculation port of pipe 0.
std::shared_ptr<const p4::Program> telling_program(std::uint16_t recirculation_port) {
  using namespace p4;
  auto program = std::make_shared<Program>("telling");
  auto& p = *program;
  p.parser_state<GeneratedPacket>(Gress::ingress, "generated");
  const auto field = [&](auto member) { return p.header_field(member); };
  using G = GeneratedPacket;
  p.digest(1, "generated", {field(&G::pipe), field(&G::app), field(&G::key_msb), field(&G::batch), field(&G::packet)});
  auto& tell = p.action("tell").set(p.digest_type(), 1);
  auto& round = p.action("round").set(p.intrinsics().ucast_egress_port, recirculation_port);
  p.ingress()
      .if_(p.intrinsics().ingress_port < recirculation_port)
      .then([&](Block& b) { b.apply(round); })
      .else_([&](Block& b) { b.apply(tell); });
  return program;
}

struct Generating : FaultyRack, DigestListener {
  using Told = std::vector<std::uint64_t>;  // pipe, application, key, batch, packet

  explicit Generating(unsigned pipes = 1) : FaultyRack(with_pipes(pipes)) {
    rack.install_program(telling_program(static_cast<std::uint16_t>(rack.chassis().recirculation_port(0))));
    rack.control_cpu().listen_to_digests(*this);
    sent->push(p4::Ethernet{});
    sent->payload_bytes = 46;
  }
  static RackOptions with_pipes(unsigned pipes) {
    RackOptions options = TestRack::small();
    options.network_switch.ports = 8;
    options.network_switch.ports_per_pipe = 8 / pipes;
    return options;
  }
  void start(GeneratorApp app) {
    app.packet = sent.get();
    rack.chassis().start_generator(app);
  }
  void digest_arrived(unsigned, const p4::Digest& digest) override { told.push_back(digest.values); }
  /// A packet with these first 32 bits, as the generator's header shows them, comes by a port.
  void come(unsigned port, std::uint64_t app, std::uint64_t key, std::uint64_t batch) {
    auto packet = pool.make();
    packet->push(p4::GeneratedPacket{.app = app, .key_msb = key, .batch = batch});
    packet->payload_bytes = 58;
    packet->serial = ++serial;
    rack.accounting().create();
    rack.chassis().receive(std::move(packet), port);
  }
  p4::PacketPool pool;
  p4::PacketRef sent = pool.make();
  std::uint64_t serial = 0;
  std::vector<Told> told;
};

}  // namespace

TEST_CASE("A fault that takes a port down fires the application, once however many of the port's wires it cuts") {
  Generating t;
  t.add("down", {{"node", std::uint64_t{3}}, {"from", 10_us}, {"until", 20_us}});
  t.add("down", {{"node", std::uint64_t{3}}, {"from", 15_us}, {"until", 18_us}});  // it is down already
  t.add("down",
        {{"node", std::uint64_t{3}}, {"from", 30_us}, {"until", 40_us}, {"direction", std::string("to_switch")}});
  t.add("down",
        {{"node", std::uint64_t{5}}, {"from", 50_us}, {"until", 60_us}, {"direction", std::string("from_switch")}});
  t.start({.app = 2, .trigger = Trigger::port_down, .packets = 2, .packet_gap = 100_ns});
  t.schedule.start();
  t.calendar.run_until(at(10_us - 1_ps));
  CHECK(t.told.empty());
  t.calendar.run_until();
  CHECK(t.told ==
        std::vector<Generating::Told>{
            {0, 2, 0, 3, 0}, {0, 2, 0, 3, 1}, {0, 2, 0, 3, 0}, {0, 2, 0, 3, 1}, {0, 2, 0, 5, 0}, {0, 2, 0, 5, 1}});
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("Only ports of the application's own pipe fire it, and those that go down together wait for their turn") {
  Generating t(2);
  t.add("down", {{"node", std::uint64_t{1}}, {"from", 10_us}, {"until", 20_us}});
  t.add("down", {{"node", std::uint64_t{2}}, {"from", 10_us}, {"until", 20_us}});
  t.add("down", {{"node", std::uint64_t{6}}, {"from", 30_us}, {"until", 40_us}});
  t.start({.app = 1, .pipe = 0, .trigger = Trigger::port_down, .batches = 2, .packets = 2, .batch_gap = 1_us});
  t.start({.app = 4, .pipe = 1, .trigger = Trigger::port_down});
  t.schedule.start();
  t.calendar.run_until();
  std::vector<Generating::Told> expected;
  for (const std::uint64_t port : {1, 2}) {
    for (const std::uint64_t packet : {0, 1, 0, 1}) expected.push_back({0, 1, 0, port, packet});
  }
  expected.push_back({1, 4, 0, 6, 0});
  CHECK(t.told == expected);
}

TEST_CASE("A pipe that is cut has all its ports down, and what its generator then sends is lost with the rest") {
  Generating t(2);
  t.add("pipe-down", {{"from", 10_us}, {"until", 20_us}, {"pipe", std::uint64_t{0}}});
  t.start({.app = 1, .pipe = 0, .trigger = Trigger::port_down});
  t.schedule.start();
  t.calendar.run_until();
  CHECK(t.told.empty());
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) == 4);
}

TEST_CASE("A packet that comes round fires the application that its first 32 bits match, and shows 24 of them") {
  Generating t;
  t.start({.app = 6, .trigger = Trigger::recirculation, .match = 0x07ab'0000, .mask = 0x1fff'0000});
  t.come(0, 7, 0xab, 0x1234);
  t.calendar.run_until();
  // The packet itself comes round, too, and the generated one, whose own bits do not match, fires nothing.
  CHECK(t.told == std::vector<Generating::Told>{{0, 7, 0xab, 0x1234, 0}, {0, 6, 0xab, 0x1234, 0}});
  t.told.clear();
  t.come(0, 7, 0xac, 0x1234);
  t.come(0, 6, 0xab, 0x1234);
  t.calendar.run_until();
  CHECK(t.told.size() == 2);
}

TEST_CASE("The generator's packets fire nothing when they come, even where they match, and neither does a front port") {
  Generating t;
  t.start({.app = 6, .trigger = Trigger::recirculation, .match = 0, .mask = 0});
  t.come(0, 1, 0, 0);  // by a front port; then it comes round
  t.calendar.run_until();
  CHECK(t.told.size() == 2);
}

TEST_CASE("A packet that matches while the application is busy is let pass") {
  Generating t;
  t.start({.app = 6, .trigger = Trigger::recirculation, .match = 0, .mask = 0, .packets = 3, .packet_gap = 10_us});
  for (int i = 0; i < 3; ++i) t.come(0, 1, 0, 0);
  t.calendar.run_until();
  CHECK(std::count_if(t.told.begin(), t.told.end(), [](const auto& one) { return one[1] == 6; }) == 3);
}

TEST_CASE("Triggers that make no sense are refused") {
  Generating t;
  CHECK_THROWS_WITH(t.start({.app = 1, .trigger = Trigger::port_down, .period = 1_us}), Contains("no period"));
  CHECK_THROWS_WITH(t.start({.app = 1, .trigger = Trigger::recirculation, .match = 3, .mask = 1}),
                    Contains("match 0x3") && Contains("mask 0x1"));
}

}  // namespace generator_triggers_test
