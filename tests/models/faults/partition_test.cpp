#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace faults_partition_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("A partition drops what crosses it, in both directions, and nothing else") {
  FaultyRack t;
  t.add("partition", {{"from", 10_us}, {"until", 20_us}, {"nodes", "0-1,3"}});
  t.schedule.start();
  // Each node sends to each other one: before, during and after.
  for (const auto when : {1_us, 12_us, 22_us}) {
    for (NodeId from = 0; from < 8; ++from) {
      for (NodeId to = 0; to < 8; ++to) t.send_at(when, from, to, static_cast<std::uint64_t>(when.ps()) + from);
    }
  }
  t.calendar.run_until();
  const auto inside = [](std::uint64_t node) { return node == 0 || node == 1 || node == 3; };
  for (NodeId to = 0; to < 8; ++to) {
    std::vector<std::uint64_t> expected;
    for (const auto when : {1_us, 12_us, 22_us}) {
      for (NodeId from = 0; from < 8; ++from) {
        if (when != 12_us || inside(from) == inside(to)) {
          expected.push_back(static_cast<std::uint64_t>(when.ps()) + from);
        }
      }
    }
    auto got = t.got(to);
    std::sort(got.begin(), got.end());
    CHECK(got == expected);
  }
  CHECK(t.rack.accounting().dropped(DropReason::partition) == 2 * 3 * 5);
}

TEST_CASE("Copies of a multicast packet reach the sender's side of a partition only") {
  FaultyRack t;
  t.rack.install_program(exercise_program(false, 32));
  t.rack.chassis().replication().set_group(1, {{5, {1, 2, 3, 4}}});
  t.add("partition", {{"nodes", "0,1,2"}});
  t.schedule.start();
  t.send(0, 1, 7, kMulticast);
  t.calendar.run_until();
  CHECK(t.hosts[1]->seen.size() == 1);
  CHECK(t.hosts[2]->seen.size() == 1);
  CHECK(t.rack.accounting().dropped(DropReason::partition) == 2);  // those to 3 and 4
}

TEST_CASE("The control CPU is on no side of a partition: it reaches everybody") {
  FaultyRack t;
  struct Deaf final : PacketHandler {
    void on_packet(p4::PacketRef) override {}
  } deaf;
  t.rack.control_cpu().listen(deaf);
  t.add("partition", {{"nodes", "0,1,2"}});
  t.schedule.start();
  for (NodeId node = 0; node < 8; ++node) {
    auto packet = t.rack.make_packet(node, 9, static_cast<std::uint16_t>(t.hosts[node]->qpn));
    packet->payload_bytes = 22;
    t.rack.control_cpu().send(std::move(packet));
  }
  t.calendar.run_until();
  for (NodeId node = 0; node < 8; ++node) CHECK(t.hosts[node]->seen.size() == 1);
  CHECK(t.rack.accounting().dropped(DropReason::partition) == 0);
}

TEST_CASE("A partition ends at the heal") {
  FaultyRack t;
  t.add("partition", {{"nodes", "0"}});
  t.schedule.start();
  t.calendar.run_until(at(5_us));
  t.schedule.heal();
  t.send_at(5_us + Fault::kHealNotice - 3_us, 0, 1, 1);
  t.send_at(5_us + Fault::kHealNotice, 0, 1, 2);
  t.calendar.run_until();
  CHECK(t.got(1) == std::vector<std::uint64_t>{2});
}

TEST_CASE("Sides of a partition that make no sense are refused") {
  FaultyRack t;
  CHECK_THROWS_WITH(t.add("partition", {}), Catch::Contains("such as \"0,2-4\""));
  for (const char* text : {"a", "1,", ",1", "2-1", "1-", "0,,1", "1024", "1 ", "-1", "99999999999999999999"}) {
    INFO(text);
    CHECK_THROWS_WITH(t.add("partition", {{"nodes", text}}),
                      "nodes: found \"" + std::string(text) + "\", expected a list of nodes such as \"0,2-4\"");
  }
  CHECK_THROWS_WITH(t.add("partition", {{"nodes", "7-8"}}),
                    "nodes: found node 8, expected some of the 8 nodes, counted from 0");
  CHECK_THROWS_WITH(t.add("partition", {{"nodes", "0-7"}}),
                    "nodes: found all nodes, expected the nodes of one side, with somebody on the other");
}

}  // namespace faults_partition_test
