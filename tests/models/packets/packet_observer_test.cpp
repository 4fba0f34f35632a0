// An observer of packets sees each on its wires, in the switch and at its end, and changes nothing.
#include "models/packets/packet_observer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "models/switch/control_cpu.hpp"
#include "tests/models/rack_fixture.hpp"

namespace packet_observer_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace sim::literals;

namespace {

struct Notes final : PacketObserver {
  explicit Notes(const sim::EventLog& the_event_log) : event_log(the_event_log) {}
  void on_wire(const p4::Packet&, const WirePassage& passage) override {
    lines.push_back(event_log.name(passage.wire) + (passage.copy ? " copy" : "") +
                    (passage.held > sim::Duration{} ? " late" : ""));
    CHECK(passage.start < passage.arrival);
  }
  void dropped(const p4::Packet&, sim::Source where, sim::Time, DropReason reason) override {
    lines.push_back("drop " + event_log.name(where) + " " + std::string(to_string(reason)));
  }
  void delivered(const p4::Packet&, sim::Source nic, sim::Time) override {
    lines.push_back("delivered " + event_log.name(nic));
  }
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool resubmitted) override {
    lines.push_back(resubmitted ? "second pass" : "pass");
  }
  void switch_written(const SwitchWrite& write) override {
    lines.push_back("write " + std::to_string(write.index) + "=" + std::to_string(write.value));
  }
  const sim::EventLog& event_log;
  std::vector<std::string> lines;
};

// What is noted of one packet of a kind from server 0 to server 1; the run's hash if `hash` is given.
std::vector<std::string> noted(std::uint16_t kind, const WireFaults& faults = {}, sim::RunHash* hash = nullptr,
                               PassMode passes = PassMode::fused, bool observed = true) {
  RackOptions options = TestRack::small();
  options.network_switch.passes = passes;
  TestRack rack(options);
  rack.rack.install_program(exercise_program(false, 255));
  rack.rack.uplink(0).set_faults(faults);
  Notes notes(rack.event_log);
  if (observed) rack.rack.context().add_packet_observer(notes);
  rack.send(0, 1, 5, kind);
  rack.calendar.run_until(sim::Time{} + 1_ms);
  if (hash != nullptr) *hash = rack.event_log.hash();
  return notes.lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a packet is seen on both wires, in the switch and at its host") {
  CHECK(noted(9) == Lines{"wire/node0-switch", "pass", "wire/switch-node1", "delivered node1/nic"});
}

TEST_CASE("a register write and a second pass are seen between the wires") {
  CHECK(noted(kCounted) == Lines{"wire/node0-switch", "pass", "write 1=1", "wire/switch-node1", "delivered node1/nic"});
  CHECK(noted(kResubmitted) ==
        Lines{"wire/node0-switch", "pass", "second pass", "wire/switch-node1", "delivered node1/nic"});
}

TEST_CASE("a loss and a duplicate are seen where they happen") {
  WireFaults loses;
  loses.loss = 1;
  CHECK(noted(9, loses) == Lines{"drop wire/node0-switch loss"});
  WireFaults duplicates;
  duplicates.duplicate = 1;
  const auto lines = noted(9, duplicates);
  REQUIRE(lines.size() > 2);
  CHECK(lines[0] == "wire/node0-switch");
  CHECK(lines[1] == "wire/node0-switch copy");
  WireFaults reorders;
  reorders.reorder = 1;
  reorders.reorder_delay = 1_us;
  CHECK(noted(9, reorders).front() == "wire/node0-switch late");
}

TEST_CASE("of two observers of packets the one that was added first is told first of everything") {
  struct Named final : PacketObserver {
    Named(std::string the_name, std::vector<std::string>& all_of_them) : name(std::move(the_name)), all(all_of_them) {}
    void on_wire(const p4::Packet&, const WirePassage&) override { all.push_back(name + " on wire"); }
    void dropped(const p4::Packet&, sim::Source, sim::Time, DropReason) override { all.push_back(name + " dropped"); }
    void delivered(const p4::Packet&, sim::Source, sim::Time) override { all.push_back(name + " delivered"); }
    void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override { all.push_back(name + " pass"); }
    void switch_written(const SwitchWrite&) override { all.push_back(name + " write"); }
    std::string name;
    std::vector<std::string>& all;
  };
  TestRack rack;
  rack.rack.install_program(exercise_program(false, 255));
  std::vector<std::string> all;
  Named first("first", all), second("second", all);
  rack.rack.context().add_packet_observer(first);
  rack.rack.context().add_packet_observer(second);
  rack.send(0, 1, 5, kCounted);
  rack.calendar.run_until(sim::Time{} + 10_us);
  rack.rack.downlink(1).add_targeted_fault({.effect = TargetedFault::Effect::drop, .match = {}});
  rack.send(0, 1, 5);
  rack.calendar.run_until(sim::Time{} + 1_ms);
  CHECK(all == std::vector<std::string>{"first on wire", "second on wire",      //
                                        "first pass", "second pass",            //
                                        "first write", "second write",          //
                                        "first on wire", "second on wire",      //
                                        "first delivered", "second delivered",  //
                                        "first on wire", "second on wire",      //
                                        "first pass", "second pass",            //
                                        "first dropped", "second dropped"});
}

TEST_CASE("each observer of packets is told of what reaches the control CPU") {
  struct : PacketHandler {
    void on_packet(p4::PacketRef) override {}
  } listener;
  TestRack rack;
  rack.rack.control_cpu().listen(listener);
  Notes first(rack.event_log), second(rack.event_log);
  rack.rack.context().add_packet_observer(first);
  rack.rack.context().add_packet_observer(second);
  auto packet = rack.rack.make_packet(kControlCpuNode, 9, 7);
  packet->payload_bytes = 64;
  rack.rack.server(1).nic().send_raw(models::Qpn{rack.hosts[1]->qpn}, std::move(packet));
  rack.calendar.run_until();
  CHECK(first.lines == Lines{"wire/node1-switch", "pass", "wire/switch-control", "delivered switch/control/network"});
  CHECK(second.lines == first.lines);
}

TEST_CASE("an observer of packets is told of every pass of a packet that circulates unchanged") {
  RackOptions options = TestRack::small();
  options.network_switch.skip_idle_passes = true;
  const bool observed = GENERATE(true, false);
  TestRack rack(options);
  auto& chassis = rack.rack.chassis();
  auto program = std::make_shared<p4::Program>("carousel", "keeps all packets");
  p4::append_forwarding_parser(*program, p4::Gress::ingress);
  program->ingress().apply(
      program->action("again").set(program->intrinsics().ucast_egress_port, chassis.recirculation_port(0)));
  rack.rack.install_program(program);
  Notes notes(rack.event_log);
  if (observed) rack.rack.context().add_packet_observer(notes);
  rack.send(1, 0, 1);
  rack.calendar.run_until(sim::Time{} + 10_us);
  chassis.settle();
  const auto passes = rack.counter("switch.ingress_passes");
  CHECK(passes > 10);
  CHECK((chassis.events_skipped() > 0) == !observed);
  const auto seen = static_cast<std::uint64_t>(std::count(notes.lines.begin(), notes.lines.end(), "pass"));
  CHECK(seen == (observed ? passes : 0));
}

TEST_CASE("an observer of packets leaves the run hash alone, fused and stepped") {
  WireFaults faults;
  faults.duplicate = 1;
  for (const auto kind : {kCounted, kResubmitted, kMulticast}) {
    sim::RunHash alone, watched, stepped;
    noted(kind, faults, &alone, PassMode::fused, false);
    noted(kind, faults, &watched, PassMode::fused, true);
    noted(kind, faults, &stepped, PassMode::stepped, true);
    CHECK(alone.hex() == watched.hex());
    CHECK(alone.hex() == stepped.hex());
  }
}

}  // namespace packet_observer_test
