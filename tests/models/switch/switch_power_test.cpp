// Announced losses of power, and counts of what is in the switch.
#include "models/switch/switch_power.hpp"

#include <catch2/catch.hpp>

#include "models/switch/switch_ports.hpp"
#include "sim/kernel/invariant.hpp"
#include "tests/models/hardware_fixture.hpp"

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
