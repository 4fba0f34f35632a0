// Announced losses of power, and counts of what is in the switch.
#include "models/switch/switch_power.hpp"

#include <catch2/catch.hpp>

#include "models/switch/switch_chassis.hpp"
#include "models/switch/switch_ports.hpp"
#include "sim/kernel/invariant.hpp"
#include "tests/models/rack_fixture.hpp"

namespace switch_power_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("The switch is off from the earliest announced loss that is not withdrawn") {
  Hardware hardware;
  SwitchPower power(hardware.context, hardware.event_log.add_source("switch/power"));
  CHECK_FALSE(power.will_be_off());
  power.announce(at(20_us));
  power.announce(at(10_us));
  power.announce(at(30_us));
  CHECK(power.off_from() == at(10_us));
  power.withdraw(at(10_us));
  CHECK(power.off_from() == at(20_us));
  power.withdraw(at(30_us));
  CHECK(power.off_from() == at(20_us));
  power.withdraw(at(20_us));
  CHECK_FALSE(power.will_be_off());
}

TEST_CASE("A loss of power that is withdrawn and was not announced breaks an invariant") {
  const sim::InvariantChecks on(true);
  Hardware hardware;
  SwitchPower power(hardware.context, hardware.event_log.add_source("switch/power"));
  power.announce(at(10_us));
  CHECK_THROWS_AS(power.withdraw(at(11_us)), sim::BrokenInvariant);
}

TEST_CASE("Of the packets in a part of the switch those of recirculation ports circulate, until they have left it") {
  const sim::InvariantChecks on(true);
  const SwitchOptions options;
  const SwitchPorts ports(options);
  HeldPackets held(ports);
  const unsigned loopback = ports.recirculation_port(0);
  held.add(0);
  held.add(loopback);
  held.add(loopback);
  CHECK(held.all() == 3);
  CHECK(held.circulating() == 2);
  held.remove(loopback);
  CHECK(held.all() == 2);
  CHECK(held.circulating() == 1);
  held.remove(0);
  CHECK(held.circulating() == 1);
  held.remove(loopback);
  CHECK(held.all() == 0);
  CHECK(held.circulating() == 0);
  CHECK_THROWS_AS(held.remove(0), sim::BrokenInvariant);
  held.add(0);
  CHECK_THROWS_AS(held.remove(loopback), sim::BrokenInvariant);
}

TEST_CASE("Packets that wait for their slots when the power is lost make no pass") {
  RackOptions options = TestRack::small();
  options.network_switch.passes = GENERATE(PassMode::fused, PassMode::stepped);
  TestRack t(options);
  t.rack.install_program(exercise_program(false, 32));
  for (NodeId from = 1; from < 5; ++from) t.send(from, 0, from, kCounted);
  // All four arrive at once, 175 + 110 + 6.72 + 10 ns after they were posted: the first has its slot then, the others
  // a cycle of 820 ps after each other.
  const auto off = at(301'721_ps);
  t.rack.chassis().announce_power_loss(off);
  t.calendar.run_until(off);
  REQUIRE(t.counter("switch.ingress_passes") == 1);
  REQUIRE(t.rack.chassis().packets_held() >= 3);
  t.rack.chassis().power_off();
  t.calendar.run_until(off + 10_us);
  CHECK(t.counter("switch.ingress_passes") == 1);
  CHECK(t.rack.chassis().pipeline(0).registers().read(0, 1) == 1);
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) == 4);
  CHECK(t.rack.packets_in_flight() == 0);
}

}  // namespace switch_power_test
