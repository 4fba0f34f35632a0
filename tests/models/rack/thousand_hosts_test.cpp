// A rack of 1,024 hosts, on one switch or behind a spine: each packet comes to the host that it names and to no other,
// and what is too narrow is refused.
#include <catch2/catch.hpp>
#include <set>

#include "p4model/language/program.hpp"
#include "tests/models/rack_fixture.hpp"

namespace thousand_hosts_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;

namespace {

constexpr std::uint64_t kHosts = 1024;

RackOptions on_one_switch(std::uint64_t hosts = kHosts) {
  RackOptions options = TestRack::small();
  options.nodes = hosts;
  options.network_switch.ports = hosts;
  options.network_switch.ports_per_pipe = 64;
  options.network_switch.port_bits = 11;
  return options;
}

RackOptions behind_a_spine() {
  RackOptions options = on_one_switch();
  options.topology.racks = 8;
  options.topology.uplinks = 4;
  options.network_switch.ports = 132;
  options.network_switch.port_bits = p4::kPortBits;
  return options;
}

/// Every host sends a packet to the hosts so many further on.
void send_all(TestRack& t, const std::vector<std::uint64_t>& strides) {
  for (const std::uint64_t stride : strides) {
    for (std::uint64_t from = 0; from < kHosts; ++from) {
      const std::uint64_t to = (from + stride) % kHosts;
      t.send(static_cast<NodeId>(from), static_cast<NodeId>(to), from * kHosts + to);
    }
    t.calendar.run_until();
  }
}

void check_arrivals(const TestRack& t, const std::vector<std::uint64_t>& strides) {
  for (std::uint64_t to = 0; to < kHosts; ++to) {
    std::multiset<std::uint64_t> seen, wanted;
    for (const auto& packet : t.hosts[to]->seen) seen.insert(packet.what);
    for (const std::uint64_t stride : strides) wanted.insert((to + kHosts - stride) % kHosts * kHosts + to);
    REQUIRE(seen == wanted);
  }
}

/// What the rack refuses, by the switch's ports and the bits of their numbers.
std::string refusal(std::uint64_t ports, std::uint64_t bits) {
  RackOptions options = TestRack::small();
  options.network_switch.ports = ports;
  options.network_switch.ports_per_pipe = 64;
  options.network_switch.port_bits = bits;
  try {
    TestRack t(options);
  } catch (const p4::ProgramError& error) {
    return error.what();
  }
  return "";
}

const std::vector<std::uint64_t> kStrides{1, 2, 3, 16, 63, 64, 65, 255, 256, 257, 511, 512, 513, 767, 1023};

}  // namespace

TEST_CASE("Every one of 1,024 hosts on one switch gets what is sent to it, from near and far, and nothing else") {
  TestRack t(on_one_switch());
  send_all(t, kStrides);
  check_arrivals(t, kStrides);
  CHECK(t.rack.accounting().dropped() == 0);
}

TEST_CASE("Every one of 1,024 hosts in eight racks gets what is sent to it, from near and far, and nothing else") {
  TestRack t(behind_a_spine());
  send_all(t, kStrides);
  check_arrivals(t, kStrides);
  CHECK(t.rack.accounting().dropped() == 0);
}

TEST_CASE("From each of 16 pipes the tables lead to the port of each of 1,024 hosts, by MAC as by IPv4 address") {
  TestRack t(on_one_switch());
  auto& chassis = t.rack.chassis();
  REQUIRE(chassis.pipes() == 16);
  for (unsigned pipe = 0; pipe < chassis.pipes(); ++pipe) {
    const auto& pipeline = chassis.pipeline(pipe);
    for (const auto& table : pipeline.program().tables()) {
      const bool by_mac = table.name == "forward_by_mac";
      if (!by_mac && table.name != "forward_by_ip") continue;
      CHECK(pipeline.entries(table) == kHosts + 1);  // and the control CPU
      for (NodeId node = 0; node < kHosts; ++node) {
        const std::vector<p4::KeyMatch> key{by_mac ? mac_of(node) : ipv4_of(node)};
        const auto entry = pipeline.entry(table, key);
        REQUIRE(entry);
        REQUIRE(entry->data == std::vector<std::uint64_t>{node});
      }
    }
  }
}

TEST_CASE("More ports than their numbers have bits for are refused, with both numbers") {
  CHECK(refusal(502, 9).empty());  // and 8 of recirculation, and the control CPU's: 511
  CHECK(refusal(503, 9) ==
        "program 'l2l3-forwarding' names at most 511 ports, by 9 bits; the switch has 512, with those of recirculation "
        "and control CPU");
  CHECK(refusal(512, 10).empty());
  CHECK(refusal(1007, 10) ==
        "program 'l2l3-forwarding' names at most 1023 ports, by 10 bits; the switch has 1024, with those of "
        "recirculation and control CPU");
  CHECK(refusal(1024, 11).empty());
}

TEST_CASE("Multicast groups reach a thousand hosts, but not through exclusions that end before a sender's port") {
  TestRack wide(on_one_switch());
  const std::vector<NodeId> members{0, 287, 288, 511, 512, 1023};
  for (const NodeId node : members) wide.rack.join(7, node);
  auto packet = wide.rack.make_packet(0, 9, static_cast<std::uint16_t>(wide.hosts[0]->qpn));
  packet->get<p4::Ethernet>().dst = multicast_mac_of(7);
  packet->get<p4::Ipv4>().dst = multicast_ipv4_of(7);
  p4::Verdict verdict = wide.rack.chassis().pipeline(8).run_ingress(*packet, {.port = 512, .may_resubmit = true});
  std::vector<p4::Copy> copies;
  wide.rack.chassis().replication().replicate(verdict, copies);
  CHECK(copies == std::vector<p4::Copy>{{0, 0}, {287, 0}, {288, 0}, {511, 0}, {1023, 0}});

  RackOptions narrow = on_one_switch(300);
  narrow.network_switch.port_bits = p4::kPortBits;
  TestRack t(narrow);
  CHECK_THROWS_WITH(t.rack.join(7, 0),
                    "multicast group 7: a server at port 288, of which copies of its own packets could not be kept: L2 "
                    "exclusion ids end at 287");
}

}  // namespace thousand_hosts_test
