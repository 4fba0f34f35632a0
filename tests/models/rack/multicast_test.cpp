// Datagrams to multicast groups, through the switch's plain forwarding.
#include <catch2/catch.hpp>
#include <map>

#include "models/switch/switch_chassis.hpp"
#include "tests/models/rack_fixture.hpp"

namespace multicast_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint16_t kGroup = 300, kOther = 7;

// One copy after the other: a cycle of 1.22 GHz, rounded up to the picosecond.
constexpr auto kCopyGap = 820_ps;

// Eth 14 + IP 20 + UDP 8 + BTH 12 + DETH 8 + 32 + ICRC 4 + FCS 4 + preamble and gap 20.
constexpr std::uint64_t kWireBytes = 122;

// A datagram queue pair on each of eight nodes.
struct Grouped : TestRack {
  struct Listener : CompletionHandler {
    Listener(TestRack& owner, NodeId number)
        : rack(owner),
          queue(owner.rack.server(number).nic().create_completion_queue(owner.rack.server(number).core(0), *this)),
          pair(owner.rack.server(number).nic().create_datagram({queue, queue})) {
      pair.post_receive(100);
    }
    void on_completion(const Completion& completion) override {
      if (completion.opcode != Opcode::receive) return;
      CHECK(completion.status == Status::success);
      seen.push_back({completion.content.as<std::uint64_t>(), rack.calendar.now()});
      from = completion.from;
    }
    struct Seen {
      std::uint64_t what;
      sim::Time when;
    };
    std::vector<std::uint64_t> heard() const {
      std::vector<std::uint64_t> all;
      for (const Seen& one : seen) all.push_back(one.what);
      return all;
    }
    TestRack& rack;
    CompletionQueue& queue;
    Datagram& pair;
    std::vector<Seen> seen;
    NodeId from = 0xffff;
  };

  Grouped() {
    for (NodeId node = 0; node < 8; ++node) listeners.push_back(std::make_unique<Listener>(*this, node));
  }
  Nic& nic(NodeId node) { return rack.server(node).nic(); }
  void join(NodeId node, std::uint16_t group = kGroup) {
    rack.join(group, node);
    nic(node).attach(listeners[node]->pair, group);
  }
  void tell(NodeId from, Destination destination, std::uint64_t what) {
    WorkRequest request;
    request.content = Content::of(what);
    request.bytes = 32;
    request.destination = destination;
    listeners[from]->pair.post(request);
  }
  void tell_group(NodeId from, std::uint64_t what, std::uint16_t group = kGroup) {
    tell(from, {.group = group}, what);
    calendar.run_until();
  }
  std::vector<std::uint64_t> heard(NodeId node) const { return listeners[node]->heard(); }
  void check_conserved() {
    CHECK(rack.packets_in_flight() == 0);
    CHECK(rack.accounting().expected_in_flight() == 0);
    CHECK(rack.packets().live() == 0);
  }
  std::vector<std::unique_ptr<Listener>> listeners;
};

using Numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("A datagram to a group is delivered once to every member, a copy's cycle apart, and to nobody else") {
  sim::Time alone;
  {
    Grouped t;
    t.tell(0, {.node = 1, .qpn = t.listeners[1]->pair.number()}, 5);
    t.calendar.run_until();
    REQUIRE(t.heard(1) == Numbers{5});
    alone = t.listeners[1]->seen[0].when;
  }
  Grouped t;
  for (const NodeId member : {4, 1, 6}) t.join(member);
  t.join(2, kOther);
  t.tell_group(0, 5);
  const std::map<NodeId, int> place{{1, 0}, {4, 1}, {6, 2}};
  for (NodeId node = 0; node < 8; ++node) {
    INFO("node " << node);
    const bool member = place.contains(node);
    CHECK(t.heard(node) == (member ? Numbers{5} : Numbers{}));
    CHECK(t.rack.downlink(node).packets_sent() == (member ? 1 : 0));
    CHECK(t.rack.downlink(node).bytes_sent() == (member ? kWireBytes : 0));
    if (!member) continue;
    CHECK(t.listeners[node]->seen[0].when == alone + kCopyGap * place.at(node));
    CHECK(t.listeners[node]->from == 0);
  }
  CHECK(t.rack.uplink(0).bytes_sent() == kWireBytes);
  CHECK(t.rack.accounting().copied() == 3);
  t.check_conserved();
}

TEST_CASE("The loss of one copy, or the crash of a member, touches no other member") {
  Grouped t;
  for (const NodeId member : {1, 2, 3, 4}) t.join(member);
  t.rack.downlink(2).add_targeted_fault({});
  t.rack.crash(3);
  t.tell_group(0, 5);
  t.tell_group(0, 6);
  CHECK(t.heard(1) == Numbers{5, 6});
  CHECK(t.heard(2) == Numbers{6});
  CHECK(t.heard(3).empty());
  CHECK(t.heard(4) == Numbers{5, 6});
  CHECK(t.rack.accounting().dropped(DropReason::targeted) == 1);
  CHECK(t.rack.accounting().dropped(DropReason::nic_off) == 2);
  t.check_conserved();
}

TEST_CASE("A NIC that has crashed belongs to a group again once a queue pair is attached again") {
  Grouped t;
  t.join(1);
  t.join(2);
  t.rack.crash(1);
  t.rack.restart(1);
  t.listeners[1]->pair.restart();
  t.listeners[1]->pair.post_receive(100);
  t.tell_group(0, 5);
  CHECK(t.heard(1).empty());
  CHECK(t.rack.accounting().dropped(DropReason::wrong_address) == 1);
  t.nic(1).attach(t.listeners[1]->pair, kGroup);
  t.tell_group(0, 6);
  CHECK(t.heard(1) == Numbers{6});
  CHECK(t.heard(2) == Numbers{5, 6});
  t.check_conserved();
}

TEST_CASE("All queue pairs of a NIC that are attached to a group have a copy, as far as they have receives") {
  Grouped t;
  t.join(1);
  Grouped::Listener second(t, 1), third(t, 1);
  t.nic(1).attach(second.pair, kGroup);
  t.nic(1).attach(third.pair, kGroup);
  t.tell_group(0, 5);
  t.nic(1).detach(second.pair, kGroup);
  t.tell_group(0, 6);
  CHECK(t.heard(1) == Numbers{5, 6});
  CHECK(second.heard() == Numbers{5});
  CHECK(third.heard() == Numbers{5, 6});
  // The switch made one copy for the port each time, which is none more; the NIC three and two.
  CHECK(t.rack.downlink(1).packets_sent() == 2);
  CHECK(t.rack.accounting().copied() == 3 + 2);
  t.check_conserved();
}

TEST_CASE("A member that has joined and is attached to nothing drops its copy, and so does one that has left") {
  Grouped t;
  t.join(1);
  t.join(2);
  t.rack.join(kGroup, 3);
  t.tell_group(0, 5);
  CHECK(t.rack.accounting().dropped(DropReason::wrong_address) == 1);
  t.rack.leave(kGroup, 1);
  t.rack.leave(kGroup, 3);
  t.tell_group(0, 6);
  CHECK(t.heard(1) == Numbers{5});
  CHECK(t.heard(2) == Numbers{5, 6});
  t.rack.leave(kGroup, 2);
  t.tell_group(0, 7);
  CHECK(t.rack.accounting().dropped(DropReason::switch_program) == 1);
  t.tell_group(0, 8, kOther);  // of which nobody has heard
  CHECK(t.rack.accounting().dropped(DropReason::switch_program) == 2);
  CHECK(t.heard(2) == Numbers{5, 6});
  t.check_conserved();
}

TEST_CASE("A sender that is a member does not hear itself, and every other member does") {
  Grouped t;
  for (NodeId member = 0; member < 8; ++member) t.join(member);
  for (NodeId sender = 0; sender < 8; ++sender) t.tell_group(sender, sender);
  for (NodeId node = 0; node < 8; ++node) {
    Numbers others;
    for (NodeId sender = 0; sender < 8; ++sender) {
      if (sender != node) others.push_back(sender);
    }
    CHECK(t.heard(node) == others);
    CHECK(t.rack.uplink(node).packets_sent() == 1);
    CHECK(t.rack.downlink(node).packets_sent() == 7);
  }
  CHECK(t.rack.accounting().copied() == 8 * 7);
  t.check_conserved();
}

TEST_CASE("What the only member of a group sends to it goes nowhere, and is counted") {
  Grouped t;
  t.join(3);
  t.tell_group(3, 5);
  CHECK(t.heard(3).empty());
  CHECK(t.rack.downlink(3).packets_sent() == 0);
  CHECK(t.rack.accounting().dropped(DropReason::switch_program) == 1);
  t.check_conserved();
}

TEST_CASE("Groups of servers outlast a restart of the switch, and are refused where a program has its own") {
  Grouped t;
  t.join(1);
  t.join(2);
  const auto off = at(100_us);
  t.rack.chassis().announce_power_loss(off);
  t.calendar.run_until(off);
  t.rack.chassis().power_off();
  t.calendar.run_until(off + 5_us);
  t.rack.restart_switch(off);
  t.tell_group(0, 5);
  CHECK(t.heard(1) == Numbers{5});
  CHECK(t.heard(2) == Numbers{5});
  t.tell_group(1, 6);
  CHECK(t.heard(1) == Numbers{5});
  CHECK(t.heard(2) == Numbers{5, 6});
  const auto recirculation = static_cast<std::uint16_t>(t.rack.chassis().recirculation_port(0));
  CHECK_THROWS_WITH(t.rack.install_program(exercise_program(false, recirculation)), Catch::Contains("exercise"));
  TestRack other;
  other.rack.install_program(exercise_program(false, recirculation));
  CHECK_THROWS_WITH(other.rack.join(kGroup, 1), Catch::Contains("exercise"));
}

}  // namespace multicast_test
