// The packet rate of a switch's ports: of each, in each direction, against closed forms (ccKVS §8.4).
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "models/rack/rack.hpp"
#include "tests/models/rack_fixture.hpp"

namespace port_packet_rate_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint64_t kRate = 40'000'000;  // one in 25 ns
constexpr auto kGap = 25_ns;

/// A rack of eight whose nodes send datagrams, and note when they come. What the hosts do costs nothing.
struct Ports {
  struct Node final : CompletionHandler {
    Node(Ports& owner, NodeId number)
        : ports(owner),
          nic(owner.rack.server(number).nic()),
          queue(nic.create_completion_queue(owner.rack.server(number).core(0), *this)),
          pair(nic.create_datagram({queue, queue})) {
      pair.post_receive(1'000'000);
    }
    void on_completion(const Completion&) override { came.push_back(ports.calendar.now()); }
    Ports& ports;
    Nic& nic;
    CompletionQueue& queue;
    Datagram& pair;
    std::vector<sim::Time> came;
  };

  explicit Ports(std::uint64_t packets_per_second)
      : rack(calendar, event_log, metrics, options(packets_per_second), 1) {
    for (NodeId node = 0; node < 8; ++node) nodes.push_back(std::make_unique<Node>(*this, node));
  }
  static RackOptions options(std::uint64_t packets_per_second) {
    RackOptions made;
    made.cores = 1;
    made.cpu = {0_ps, 0_ps, 0_ps, 0_ps};
    made.link_framing = Framing::infiniband;
    made.nic.pcie_bits_per_second *= 2;  // no limit, with the 40 bytes that a datagram has there
    made.network_switch.port_packets_per_second = packets_per_second;
    return made;
  }
  /// One node sends `count` datagrams of `bytes` to others in turn.
  void send(NodeId from, const std::vector<NodeId>& to, unsigned count, std::uint32_t bytes = 22) {
    for (unsigned i = 0; i < count; ++i) {
      WorkRequest request;
      request.bytes = bytes;
      request.signalled = false;
      request.destination.node = to[i % to.size()];
      request.destination.qpn = nodes[request.destination.node]->pair.number();
      REQUIRE(nodes[from]->pair.post(request));
    }
  }
  const std::vector<sim::Time>& came(NodeId node) const { return nodes[node]->came; }
  sim::Duration took(NodeId node) const { return came(node).back() - came(node).front(); }

  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  Rack rack;
  std::vector<std::unique_ptr<Node>> nodes;
};

}  // namespace

TEST_CASE("Small packets from one port to another come at the port's rate, and without one at the NIC's") {
  Ports limited(kRate), free(0);
  for (Ports* t : {&limited, &free}) {
    t->send(0, {1}, 1000);
    t->calendar.run_until();
    REQUIRE(t->came(1).size() == 1000);
  }
  CHECK(limited.took(1) == kGap * 999);
  CHECK(free.took(1) == 10_ns * 999);  // 100 M messages/s
  CHECK(limited.came(1).front() == free.came(1).front());
  CHECK(limited.calendar.executed() == free.calendar.executed());
}

TEST_CASE("Packets whose bits take longer than the rate come at the rate of the link") {
  Ports t(kRate);
  t.send(0, {1}, 500, 1024);
  t.calendar.run_until();
  CHECK(t.took(1) == 84'640_ps * 499);  // 1024 and 34 bytes at 100 Gbit/s
}

TEST_CASE("Small and large packets in turn come at the scarcer of packets and bits, into the switch and out of it") {
  // Of two packets the bits take 84.64 and 4.48 ns (34 bytes around 1,024 and 22), the slots 50.
  Ports t(kRate);
  for (unsigned i = 0; i < 500; ++i) {
    t.send(0, {1}, 1, 1024);
    t.send(0, {1}, 1);
  }
  t.calendar.run_until();
  REQUIRE(t.came(1).size() == 1000);
  CHECK(t.took(1) < 89'120_ps * 500 + 100_ns);
  CHECK(t.took(1) > 89'120_ps * 499 - 100_ns);
}

TEST_CASE("One port that sends to many is bound by its rate into the switch") {
  Ports t(kRate);
  t.send(0, {1, 2, 3, 4}, 4000);
  t.calendar.run_until();
  for (NodeId node = 1; node <= 4; ++node) {
    REQUIRE(t.came(node).size() == 1000);
    CHECK(t.took(node) == kGap * 4 * 999);
  }
}

TEST_CASE("Many ports that send to one are bound by its rate out of the switch") {
  Ports t(kRate);
  for (NodeId node = 1; node <= 4; ++node) t.send(node, {0}, 200);
  t.calendar.run_until();
  REQUIRE(t.came(0).size() == 800);
  CHECK(t.took(0) == kGap * 799);
  // Into the switch each has its own rate: the last of each is there in a quarter of the time.
  for (NodeId node = 1; node <= 4; ++node) {
    CHECK(t.rack.uplink(node).free_at() - sim::Time{} < kGap * 200 + 1_us);
  }
}

TEST_CASE("The rate is each port's own, in each direction: pairs of nodes do not share it") {
  Ports t(kRate);
  for (NodeId node = 0; node < 8; ++node) t.send(node, {static_cast<NodeId>(node ^ 1)}, 1000);
  t.calendar.run_until();
  for (NodeId node = 0; node < 8; ++node) {
    REQUIRE(t.came(node).size() == 1000);
    CHECK(t.took(node) == kGap * 999);
  }
}

TEST_CASE("A multicast packet counts once into the switch and once out of each member's port") {
  Ports t(kRate);
  constexpr std::uint16_t kGroup = 5;
  for (NodeId node = 0; node < 4; ++node) {
    t.rack.join(kGroup, node);
    t.nodes[node]->nic.attach(t.nodes[node]->pair, kGroup);
  }
  for (unsigned i = 0; i < 100; ++i) {
    WorkRequest request;
    request.bytes = 22;
    request.signalled = false;
    request.destination.group = kGroup;
    t.nodes[0]->pair.post(request);
  }
  t.send(1, {3}, 100);
  t.calendar.run_until();
  CHECK(t.took(1) == kGap * 99);
  CHECK(t.took(2) == kGap * 99);
  REQUIRE(t.came(3).size() == 200);
  CHECK(t.took(3) == kGap * 199);
}

TEST_CASE("A packet rate of 0 is as if there were none, for run hashes too") {
  SwitchOptions options;
  sim::Parameters parameters;
  options.declare(parameters);
  for (const auto& parameter : parameters.all()) {
    if (parameter.name != "switch.port_packet_rate") continue;
    REQUIRE(parameter.neutral);
    CHECK(std::get<std::uint64_t>(*parameter.neutral) == 0);
    return;
  }
  FAIL("no such option");
}

}  // namespace port_packet_rate_test
