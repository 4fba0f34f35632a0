// Faults of wires, as a schedule makes them.
#include <catch2/catch.hpp>

#include "models/faults/fault_menu.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace wires_test {

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
  CHECK(t.rack.accounting().dropped(DropReason::targeted) == 3);
}

TEST_CASE("The n-th packet of a type is held for the time that is said, and nothing is lost") {
  FaultyRack t;
  t.add("hold", {{"node", std::uint64_t{1}},
                 {"direction", "from_switch"},
                 {"header", "udp"},
                 {"field", "src_port"},
                 {"value", std::uint64_t{9}},
                 {"first", std::uint64_t{3}},
                 {"count", std::uint64_t{2}},
                 {"delay", 5'500_ns}});
  t.schedule.start();
  t.stream(0, 1, 1_us, 10_us);
  t.calendar.run_until();
  CHECK(t.got(1) == std::vector<std::uint64_t>{0, 1, 4, 5, 6, 7, 2, 8, 3, 9});
  CHECK(t.rack.accounting().dropped() == 0);
  const auto& seen = t.hosts[1]->seen;
  CHECK(seen[6].when - seen[0].when == 7'500_ns);  // sent 2 us later, and held
}

TEST_CASE("What is behind a packet that is held in order waits for it") {
  FaultyRack t;
  t.add("hold", {{"node", std::uint64_t{1}},
                 {"direction", "from_switch"},
                 {"first", std::uint64_t{3}},
                 {"delay", 5'500_ns},
                 {"in_order", true}});
  t.schedule.start();
  t.stream(0, 1, 1_us, 10_us);
  t.calendar.run_until();
  CHECK(t.got(1) == numbers(0, 10));
  const auto& seen = t.hosts[1]->seen;
  CHECK(seen[2].when - seen[0].when == 7'500_ns);
  for (const std::size_t waits : {3, 4, 5, 6, 7}) CHECK(seen[waits].when - seen[2].when < 1_us);
  CHECK(seen[8].when - seen[0].when == 8_us);  // on time
}

TEST_CASE("The n-th packet of a type arrives twice, the copy at once or so much later") {
  for (const sim::Duration delay : {0_ns, 2'500_ns}) {
    FaultyRack t;
    t.add("duplicate", {{"node", std::uint64_t{1}},
                        {"direction", "from_switch"},
                        {"header", "udp"},
                        {"field", "src_port"},
                        {"value", std::uint64_t{9}},
                        {"first", std::uint64_t{3}},
                        {"count", std::uint64_t{2}},
                        {"delay", delay}});
    t.schedule.start();
    t.stream(0, 1, 1_us, 10_us);
    t.calendar.run_until();
    using Numbers = std::vector<std::uint64_t>;
    const auto& seen = t.hosts[1]->seen;
    if (delay == 0_ns) {
      CHECK(t.got(1) == Numbers{0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9});
      CHECK(seen[3].when - seen[2].when < 100_ns);
    } else {
      CHECK(t.got(1) == Numbers{0, 1, 2, 3, 4, 2, 5, 3, 6, 7, 8, 9});
      CHECK(seen[5].when - seen[2].when > delay);
      CHECK(seen[5].when - seen[2].when < delay + 100_ns);
    }
    CHECK(t.rack.accounting().copied() == 2);
    CHECK(t.rack.accounting().dropped() == 0);
  }
}

TEST_CASE("What is sent after the end of a hold, or after the heal's notice, is not held") {
  for (const bool healed : {false, true}) {
    FaultyRack t;
    Options options{{"from", 10_us}, {"count", std::uint64_t{1'000'000}}, {"delay", 50_us}};
    if (!healed) options.emplace_back("until", 2_ms);
    t.add("hold", options);
    t.schedule.start();
    t.send_at(1_us, 0, 1, 0);
    t.send_at(20_us, 0, 1, 1);  // held on both wires
    t.send_at(2'100_us, 0, 1, 2);
    if (healed) {
      t.calendar.run_until(at(1_ms));
      t.schedule.heal();
    }
    t.calendar.run_until();
    REQUIRE(t.got(1) == numbers(0, 3));
    const auto took = [&](std::size_t i, sim::Duration sent) { return t.hosts[1]->seen[i].when - at(sent); };
    CHECK(took(1, 20_us) == took(0, 1_us) + 100_us);
    CHECK(took(2, 2'100_us) == took(0, 1_us));
  }
}

TEST_CASE("Delays are drawn from below a round trip to several times the longest timeout") {
  sim::RandomStream random(1, "draws");
  for (const char* kind : {"hold", "duplicate", "noise"}) {
    sim::Duration least = 1_s, most;
    for (int i = 0; i < 1000; ++i) {
      const auto fault = draw_faults(random, {4, 1_ms, 800_us}, {kind}, 1).front().fault;
      sim::Parameters parameters;
      fault->declare(parameters);
      for (const auto& parameter : parameters.all()) {
        if (parameter.name != "delay" && parameter.name != "reorder_delay") continue;
        const sim::Duration drawn = *std::get<sim::Parameter::Length>(parameter.kind).target;
        if (drawn > 0_ns) least = std::min(least, drawn);  // a copy may come at once
        most = std::max(most, drawn);
      }
    }
    INFO(kind);
    CHECK(least < 1_us);
    CHECK(most > 2'400_us);
    CHECK(most <= 3'200_us);
  }
}

TEST_CASE("A drop that names a header or a field that no packet has is refused") {
  FaultyRack t;
  CHECK_THROWS_WITH(
      t.add("drop", {{"header", "upd"}}),
      Catch::StartsWith("header: found \"upd\", expected a header that packets have: ") && Catch::Contains("udp"));
  CHECK_THROWS_WITH(
      t.add("drop", {{"header", "udp"}, {"field", "port"}}),
      "field: found \"port\", expected a field of the header \"udp\": src_port, dst_port, length, checksum");
  CHECK_THROWS_WITH(t.add("drop", {{"field", "port"}}),
                    "field: found the field \"port\" of no header, expected \"header\" too");
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

}  // namespace wires_test
