// Faults of wires, as a schedule makes them.
#include <catch2/catch.hpp>

#include "tests/models/faults/fault_fixture.hpp"

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

TEST_CASE("Of two noises on one wire the later to begin holds, and the earlier comes back when it ends") {
  FaultyRack t;
  const std::uint64_t node = 0;
  t.add("noise", {{"from", 10_us}, {"until", 40_us}, {"node", node}, {"direction", "to_switch"}, {"loss", 1.0}});
  t.add("noise", {{"from", 20_us}, {"until", 30_us}, {"node", node}, {"direction", "to_switch"}, {"jitter", 1_ns}});
  t.schedule.start();
  for (std::uint64_t i = 0; i < 5; ++i) t.send_at(5_us + 10_us * static_cast<std::int64_t>(i), 0, 1, i);
  t.calendar.run_until();
  CHECK(t.got(1) == std::vector<std::uint64_t>{0, 2, 4});
}

TEST_CASE("The n-th packet of a type is dropped, or of any type") {
  FaultyRack t;
  t.add("drop", {{"node", std::uint64_t{0}}, {"direction", "to_switch"}, {"first", std::uint64_t{3}}});
  t.add("drop", {{"node", std::uint64_t{1}},
                 {"direction", "from_switch"},
                 {"header", "udp"},
                 {"field", "src_port"},
                 {"value", std::uint64_t{9}},
                 {"first", std::uint64_t{5}},
                 {"count", std::uint64_t{2}}});
  t.schedule.start();
  t.stream(0, 1, 1_us, 10_us);
  t.calendar.run_until();
  // The third never reaches the second wire, whose fifth and sixth are numbers 5 and 6.
  CHECK(t.got(1) == std::vector<std::uint64_t>{0, 1, 3, 4, 7, 8, 9});
  CHECK(t.rack.census().dropped(DropReason::targeted) == 3);
}

TEST_CASE("A drop that names a header or a field that no packet has is refused") {
  FaultyRack t;
  CHECK_THROWS_WITH(t.add("drop", {{"header", "upd"}}),
                    Catch::StartsWith("no packet has a header 'upd'; there are ") && Catch::Contains("udp"));
  CHECK_THROWS_WITH(t.add("drop", {{"header", "udp"}, {"field", "port"}}), "header 'udp' has no field 'port'");
  CHECK_THROWS_WITH(t.add("drop", {{"field", "port"}}), "it names the field 'port' but no header");
  t.add("drop", {{"header", "bth"}, {"field", "psn"}});
}

TEST_CASE("Wires that are cut twice are up when both cuts are over") {
  FaultyRack t;
  t.add("down", {{"from", 2_us}, {"until", 6_us}, {"node", std::uint64_t{0}}});
  t.add("down", {{"from", 4_us}, {"until", 8_us}});
  t.schedule.start();
  for (std::uint64_t i = 0; i < 10; ++i) t.send_at(500_ns + 1_us * static_cast<std::int64_t>(i), 0, 1, i);
  t.calendar.run_until();
  // A packet is on its first wire about 300 ns after it was posted.
  CHECK(t.got(1) == std::vector<std::uint64_t>{0, 1, 8, 9});
}
