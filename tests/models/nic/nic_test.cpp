#include "models/nic/nic.hpp"

#include <catch2/catch.hpp>

#include "models/packets/rdma_headers.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace nic_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("A small raw packet takes doorbell, engine, wire, DMA and polling to the picosecond") {
  TwoNics t;
  t.a.nic.send_raw(t.raw_a, t.to_b(7));
  t.calendar.run_until();
  // 175 PCIe + 110 transmit + 6.72 wire + 10 propagation + 100 receive + 4.8 DMA of 60 bytes + 175 PCIe + 60 CPU.
  CHECK(t.b.packets == std::vector<Host::Seen>{{7, at(641'520_ps)}});
  CHECK(t.calendar.executed() == 2);
  CHECK(t.a.core.busy_time() == 40_ns);
  CHECK(t.b.core.busy_time() == 60_ns);
}

TEST_CASE("A payload above the inlining limit costs a PCIe read") {
  TwoNics t;
  t.a.nic.send_raw(t.raw_a, t.to_b(1, 128 + 4));
  t.calendar.run_until();
  t.a.nic.send_raw(t.raw_a, t.to_b(2, 129 + 4));
  const auto sent = t.calendar.now();
  t.calendar.run_until();
  REQUIRE(t.b.packets.size() == 2);
  // Inline: 175 + 110 + 152 B on the wire 12.16 + 10 + 100 + 128 B DMA 10.24 + 175 + 60.
  CHECK(t.b.packets[0].when == at(652'400_ps));
  // Not inline: one byte more on wire and DMA, and 129 B (10.32) + 350 to read it.
  CHECK(t.b.packets[1].when - sent == 652'400_ps + 160_ps + 360'320_ps);
  CHECK(t.counters.pcie_reads.value == 1);
}

TEST_CASE("A small packet overtakes a large one of another queue pair whose payload is still being read") {
  TwoNics t;
  const auto other = t.a.nic.create_raw_qp(t.a.core, t.a);
  t.a.nic.send_raw(t.raw_a, t.to_b(1, 4096));
  t.a.nic.send_raw(other, t.to_b(2));
  t.calendar.run_until();
  REQUIRE(t.b.packets.size() == 2);
  CHECK(t.b.packets[0] == Host::Seen{2, at(641'520_ps)});
}

TEST_CASE("A small packet does not overtake a large one of its own queue pair") {
  TwoNics t;
  t.a.nic.send_raw(t.raw_a, t.to_b(1, 4096));
  t.a.nic.send_raw(t.raw_a, t.to_b(2));
  t.calendar.run_until();
  REQUIRE(t.b.packets.size() == 2);
  CHECK(t.b.packets[0].what == 1);
}

TEST_CASE("The message rate spaces small packets") {
  NicOptions options;
  options.messages_per_second = 10'000'000;
  TwoNics t(options, {.post = 0_ns, .receive = 0_ns, .completion = 0_ns});
  for (std::uint64_t i = 0; i < 100; ++i) t.a.nic.send_raw(t.raw_a, t.to_b(i));
  t.calendar.run_until();
  REQUIRE(t.b.packets.size() == 100);
  for (std::size_t i = 1; i < 100; ++i) CHECK(t.b.packets[i].when - t.b.packets[i - 1].when == 100_ns);
}

TEST_CASE("Packets are steered by UDP destination port, and strays are dropped") {
  TwoNics t;
  const auto second = t.b.nic.create_raw_qp(t.b.core, t.b);
  CHECK(second != t.raw_b);
  auto stray = t.to_b(1);
  stray->get<p4::Udp>().dst_port = second + 1;
  t.a.nic.send_raw(t.raw_a, std::move(stray));
  auto good = t.to_b(2);
  good->get<p4::Udp>().dst_port = second;
  t.a.nic.send_raw(t.raw_a, std::move(good));
  t.calendar.run_until();
  REQUIRE(t.b.packets.size() == 1);
  CHECK(t.b.packets[0].what == 2);
  CHECK(t.accounting.dropped(DropReason::no_queue_pair) == 1);
}

TEST_CASE("A frame for another MAC or IPv4 address is dropped and counted, wherever it would be steered") {
  TwoNics t;
  const auto strays = [&](auto&& misdirect) {
    auto raw = t.to_b(1);
    misdirect(*raw);
    t.a.nic.send_raw(t.raw_a, std::move(raw));
    auto rc = t.to_b(2);
    rc->get<p4::Udp>().dst_port = kRoceUdpPort;
    misdirect(*rc);
    t.a.nic.send_raw(t.raw_a, std::move(rc));
  };
  strays([](p4::Packet& packet) { packet.get<p4::Ethernet>().dst = mac_of(2); });
  strays([](p4::Packet& packet) { packet.get<p4::Ipv4>().dst = ipv4_of(2); });
  strays([](p4::Packet& packet) { packet.get<p4::Ethernet>().dst = 0xffff'ffff'ffff; });
  t.calendar.run_until();
  CHECK(t.b.packets.empty());
  CHECK(t.accounting.dropped(DropReason::wrong_address) == 6);
  CHECK(t.accounting.dropped() == 6);
  CHECK(t.accounting.expected_in_flight() == 0);
  CHECK(t.counters.received.value == 6);
  // They take no time of the receive engine: what follows is on time.
  const auto sent = t.calendar.now();
  t.a.nic.send_raw(t.raw_a, t.to_b(7));
  t.calendar.run_until();
  CHECK(t.b.packets == std::vector<Host::Seen>{{7, sent + 641'520_ps}});
}

TEST_CASE("Source addresses and lengths are filled in, a source port only when there is none") {
  TwoNics t;
  struct Check : PacketHandler {
    void on_packet(p4::PacketRef p) override { packet = std::move(p); }
    p4::PacketRef packet;
  } check;
  const auto qp = t.b.nic.create_raw_qp(t.b.core, check);
  for (const std::uint64_t port : {std::uint64_t{0}, std::uint64_t{99}}) {
    auto p = t.to_b(1, 100);
    p->get<p4::Udp>().dst_port = qp;
    p->get<p4::Udp>().src_port = port;
    t.a.nic.send_raw(t.raw_a, std::move(p));
    t.calendar.run_until();
    REQUIRE(check.packet);
    CHECK(check.packet->get<p4::Ethernet>().src == mac_of(0));
    CHECK(check.packet->get<p4::Ipv4>().src == ipv4_of(0));
    CHECK(check.packet->get<p4::Ipv4>().total_length == 100 - 4 - 14);
    CHECK(check.packet->get<p4::Udp>().length == 100 - 4 - 34);
    CHECK(check.packet->get<p4::Udp>().src_port == (port ? port : t.raw_a));
  }
}

TEST_CASE("A receive ring that nobody polls in time overflows") {
  NicOptions options;
  options.receive_ring = 4;
  TwoNics t(options, {.post = 0_ns, .receive = 1_ms, .completion = 0_ns});
  for (std::uint64_t i = 0; i < 6; ++i) t.a.nic.send_raw(t.raw_a, t.to_b(i));
  t.calendar.run_until();
  CHECK(t.b.packets.size() == 4);
  CHECK(t.accounting.dropped(DropReason::ring_full) == 2);
}

TEST_CASE("A powered-off NIC is silent in both directions and forgets what it held") {
  TwoNics t;
  t.a.nic.send_raw(t.raw_a, t.to_b(1));
  t.a.nic.send_raw(t.raw_a, t.to_b(2, 4096));  // waits for its payload
  t.calendar.run_until(at(500_ns));            // 1 is in b's ring
  CHECK(t.held() == static_cast<std::uint64_t>(t.accounting.expected_in_flight()));
  t.a.nic.power_off();
  t.b.nic.power_off();
  CHECK(t.held() == static_cast<std::uint64_t>(t.accounting.expected_in_flight()));
  t.a.nic.send_raw(t.raw_a, t.to_b(3));
  t.b.nic.power_on();
  t.calendar.run_until(at(10_us));
  CHECK(t.b.packets.empty());
  CHECK(t.accounting.dropped(DropReason::nic_off) == 3);
  t.a.nic.power_on();
  t.a.nic.send_raw(t.raw_a, t.to_b(4));
  t.calendar.run_until();
  REQUIRE(t.b.packets.size() == 1);
  CHECK(t.b.packets[0].what == 4);
  CHECK(t.accounting.expected_in_flight() == 0);
}

TEST_CASE("Unknown queue pairs are refused") {
  TwoNics t;
  CHECK_THROWS_WITH(t.a.nic.send_raw(3, t.to_b(1)), "node 0: 3 is no raw queue pair");
  auto& fresh = t.a.nic.create_reliable({t.a.queue, t.a.queue});
  CHECK_THROWS_WITH(fresh.post(t.send(1)), "node 0: queue pair 65537 is not connected");
}

}  // namespace nic_test
