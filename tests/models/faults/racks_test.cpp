// Faults of links between switches, and of one of several switches, by their names.
#include <catch2/catch.hpp>

#include "models/faults/fault_menu.hpp"
#include "models/switch/switch_chassis.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace faults_racks_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

/// Nodes 0 and 1 in the first rack, 2 and 3 in the second.
RackOptions two_racks() {
  RackOptions options = TestRack::small();
  options.nodes = 4;
  options.topology.racks = 2;
  return options;
}

std::uint64_t boots(FaultyRack& t, unsigned network_switch) {
  return t.rack.chassis(network_switch).boots();
}

}  // namespace

TEST_CASE("A link between two switches that is down loses what is on it, and racks go on within themselves") {
  FaultyRack t(two_racks());
  t.add("down", {{"link", "tor1-spine.0"}, {"from", 100_us}, {"until", 200_us}});
  t.schedule.start();
  t.stream(0, 2, 10_us, 300_us);
  t.stream(0, 1, 10_us, 300_us);
  t.calendar.run_until();
  // Those that were sent while it was down; the last of them before it is up again.
  std::vector<std::uint64_t> expected = numbers(0, 10);
  for (const auto number : numbers(20, 30)) expected.push_back(number);
  CHECK(t.got(2) == expected);
  CHECK(t.got(1) == numbers(0, 30));
  CHECK(t.rack.accounting().dropped(DropReason::wire_down) == 10);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("Of a link between switches to_switch is the way to the spine") {
  const std::string direction = GENERATE("to_switch", "from_switch");
  FaultyRack t(two_racks());
  t.add("drop", {{"link", "tor0-spine.0"}, {"direction", direction}, {"first", std::uint64_t{1}}});
  t.schedule.start();
  t.send(0, 2, 1);
  t.send(2, 0, 2);
  t.calendar.run_until();
  CHECK(t.got(2).empty() == (direction == "to_switch"));
  CHECK(t.got(0).empty() == (direction == "from_switch"));
}

TEST_CASE("Noise on a link between switches ends with the heal") {
  FaultyRack t(two_racks());
  t.add("noise", {{"link", "tor0-spine.0"}, {"loss", 1.0}});
  t.schedule.start();
  t.send(0, 2, 1);
  t.calendar.run_until(at(10_us));
  CHECK(t.got(2).empty());
  t.schedule.heal();
  t.calendar.run_until(at(10_us + Fault::kHealNotice));
  t.send(0, 2, 2);
  t.calendar.run_until();
  CHECK(t.got(2) == std::vector<std::uint64_t>{2});
}

TEST_CASE("One of several switches restarts, with plain routes, and the others do not notice") {
  FaultyRack t(two_racks());
  t.add("switch-restart", {{"switch", "tor1"}, {"from", 100_us}, {"dead_time", 100_us}});
  t.schedule.start();
  t.stream(0, 2, 10_us, 300_us);
  t.stream(0, 1, 10_us, 300_us);
  t.calendar.run_until();
  CHECK(t.got(1) == numbers(0, 30));
  CHECK(t.got(2).size() == 20);
  CHECK(t.got(2).back() == 29);
  CHECK(boots(t, 0) == 1);
  CHECK(boots(t, 1) == 2);
  CHECK(boots(t, 2) == 1);
  CHECK(t.rack.accounting().dropped(DropReason::switch_off) == 10);
}

TEST_CASE("Names of links and switches that there are not are refused with those that there are") {
  FaultyRack t(two_racks());
  CHECK_THROWS_WITH(t.add("down", {{"link", "tor2-spine.0"}}),
                    Catch::Contains("a link between two switches: tor0-spine.0, tor1-spine.0"));
  CHECK_THROWS_WITH(t.add("down", {{"link", "tor0-spine.0"}, {"node", std::uint64_t{1}}}),
                    Catch::Contains("\"tor0-spine.0\" and node 1"));
  CHECK_THROWS_WITH(t.add("switch-restart", {{"from", 1_us}}),
                    Catch::Contains("found nothing, expected one of the rack's switches: tor0, tor1, spine"));
  CHECK_THROWS_WITH(t.add("control-delay", {{"switch", "switch"}}), Catch::Contains("found \"switch\""));
  FaultyRack one;
  CHECK_THROWS_WITH(one.add("down", {{"link", "tor0-spine.0"}}), Catch::Contains("the rack has one switch"));
}

TEST_CASE("Random faults of several racks hit links and switches that there are, and fit") {
  sim::RandomStream random(1, "faults");
  const TopologyOptions topology = two_racks().topology;
  FaultScene scene;
  scene.nodes = 4;
  scene.links = topology.link_names();
  scene.switches = topology.switch_names();
  bool link = false, network_switch = false;
  for (int i = 0; i < 200; ++i) {
    FaultyRack t(two_racks());
    for (auto& drawn : draw_faults(random, scene, {"noise", "down", "switch-restart", "control-delay"})) {
      link |= drawn.fault->where().find("spine.") != std::string::npos;
      network_switch |= drawn.fault->where() == "spine";
      CHECK_NOTHROW(t.schedule.add(drawn.kind, drawn.fault));
    }
  }
  CHECK(link);
  CHECK(network_switch);
}

}  // namespace faults_racks_test
