#include "models/faults/availability.hpp"

#include <catch2/catch.hpp>

#include "sim/options/option_error.hpp"
#include "tests/models/faults/fault_fixture.hpp"

namespace availability_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

struct Node1 final : CrashObserver {
  explicit Node1(FaultyRack& rack) : t(rack) { t.rack.observe_crashes(*this); }
  void node_crashed(NodeId node) override { seen.emplace_back(node, false, t.calendar.now()); }
  void node_restarted(NodeId node) override { seen.emplace_back(node, true, t.calendar.now()); }
  FaultyRack& t;
  std::vector<std::tuple<NodeId, bool, sim::Time>> seen;
};

using Seen = decltype(Node1::seen);

std::string refusal(const std::string& profile) {
  try {
    read_profile(profile, 1_s);
  } catch (const sim::OptionError& error) {
    CHECK(error.option() == "profile");
    return error.found() + " | " + error.expected();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A profile is read as SimGrid writes it: lines of a time in seconds and a state") {
  const std::vector<Outage> twice{{1_us, 2_us}, {5_us, sim::Duration::max()}};
  CHECK(read_profile("0.000001 0\n0.000002 1\n0.000005 0\n", 1_s) == twice);
  CHECK(read_profile("  1e-6 0 ;2e-6\t1;\r\n# a remark\n; 0.000005  0", 1_s) == twice);
  CHECK(read_profile("0 1; 1e-6 0; 1.5e-6 0; 2e-6 1; 3e-6 1; 5e-6 0", 1_s) == twice);
  CHECK(read_profile("0.000000000001 0", 1_s) ==
        std::vector<Outage>{{sim::Duration::from_ps(1), sim::Duration::max()}});
}

TEST_CASE(
    "Outages that would begin after the profile's end are left out, and those that have begun end in their time") {
  CHECK(read_profile("1e-6 0; 2e-6 1; 5e-6 0", 5_us) == std::vector<Outage>{{1_us, 2_us}});
  CHECK(read_profile("1e-6 0; 9e-6 1", 5_us) == std::vector<Outage>{{1_us, 9_us}});
  CHECK(read_profile("1e-6 0; 9e-6 1", 1_us).empty());
}

TEST_CASE("A profile that loops begins anew so long after its last change") {
  CHECK(read_profile("1e-6 0; 2e-6 1; LOOPAFTER 3e-6", 12_us) ==
        std::vector<Outage>{{1_us, 2_us}, {6_us, 7_us}, {11_us, 12_us}});
  // The state at the end of a round is that at the beginning of the next.
  CHECK(read_profile("0 1; 1e-6 0; LOOPAFTER 2e-6", 7_us) == std::vector<Outage>{{1_us, 3_us}, {4_us, 6_us}});
}

TEST_CASE("A profile with a mistake is refused with the line that has it") {
  CHECK_THAT(refusal(""), Catch::StartsWith("\"\" | at least one change"));
  for (const char* line : {"0.1", "a 0", "0.1 2", "0.1 0 0", "-1 0", "nan 0", "1001 0", "0.1s 0", "0.1 on"}) {
    INFO(line);
    CHECK_THAT(
        refusal(std::string("0.01 1; ") + line),
        Catch::StartsWith(std::string("\"") + line + "\" | a time in seconds up to 1000, and 1 for on or 0 for off"));
  }
  CHECK_THAT(refusal("0.1 0; 0.1 1"), Catch::StartsWith("\"0.1 1\" | a later time"));
  CHECK_THAT(refusal("0.1 0; LOOPAFTER 0"), Catch::StartsWith("\"LOOPAFTER 0\" | LOOPAFTER and seconds above 0"));
  CHECK_THAT(refusal("0.1 0; LOOPAFTER 1; 2 1"), Catch::StartsWith("\"2 1\" | nothing after LOOPAFTER"));
  CHECK_THAT(refusal("1e-6 0; 2e-6 1; LOOPAFTER 1e-6"), Catch::Contains("more than 10000 outages"));
}

TEST_CASE("A node goes off and comes back as its availability profile says, each time as another incarnation") {
  FaultyRack t;
  Node1 node(t);
  t.add("availability", {{"from", 10_us},
                         {"until", 60_us},
                         {"node", std::uint64_t{1}},
                         {"profile", std::string("5e-6 0; 7e-6 1; LOOPAFTER 23e-6")}});
  t.schedule.start();
  t.calendar.run_until();
  CHECK(node.seen == Seen{{1, false, at(15_us)}, {1, true, at(17_us)}, {1, false, at(45_us)}, {1, true, at(47_us)}});
  CHECK(t.rack.server(1).incarnation() == 2);
  CHECK(t.event_log.count(sim::Observed::fault_begun) == 2);
  CHECK(t.event_log.count(sim::Observed::fault_ended) == 2);
}

TEST_CASE("The heal ends an outage unless the node is to stay down, and no other begins") {
  for (const bool stays_down : {false, true}) {
    FaultyRack t;
    Node1 node(t);
    t.add("availability", {{"node", std::uint64_t{1}},
                           {"profile", std::string("1e-6 0; 2e-6 1; 5e-6 0; 9e-6 1; 20e-6 0")},
                           {"stays_down", stays_down}});
    t.schedule.start();
    t.calendar.run_until(at(6_us));
    t.schedule.heal();
    t.calendar.run_until();
    Seen expected{{1, false, at(1_us)}, {1, true, at(2_us)}, {1, false, at(5_us)}};
    expected.emplace_back(1, true, at(stays_down ? 9_us : 6_us));
    CHECK(node.seen == expected);
  }
}

TEST_CASE("A profile under which the node never goes off does not fit") {
  FaultyRack t;
  for (const char* profile : {"0.1 1", "0.1 0"}) {
    CHECK_THROWS_AS(t.add("availability", {{"until", 50_ms}, {"profile", std::string(profile)}}), sim::OptionError);
  }
}

}  // namespace availability_test
