// The small programs that come with the switch, each with packets that show what it is about (scenarios/switch).
#include <catch2/catch.hpp>

#include "tests/tools/lone_switch/examples.hpp"

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using namespace racksim::sim::literals;

namespace {

using Kind = StageStep::Kind;
using Ports = std::vector<unsigned>;

}  // namespace

TEST_CASE("chain: a register's output goes to the field of its index in one stage, and no port gets no packet") {
  const auto story = story_of_example("example-chain", "chain");
  const auto& walker = story.packets.at(0);
  const auto accesses = steps(walker, Kind::access);
  REQUIRE(accesses.size() == 2);
  CHECK(accesses[0].index == 3);
  CHECK(accesses[0].output == "7");
  CHECK(accesses[1].index == 7);
  CHECK(accesses[1].output == "9");
  // Round once, and one copy for each port of the group's node, though it lists port 2 twice.
  CHECK(ports_of(walker) == Ports{4, 2, 1});
  CHECK(field_of(all<DepartureStory>(walker).back().second.headers, "ipv4", "dscp") == "9");

  const auto& nowhere = story.packets.at(1);
  CHECK(ports_of(nowhere).empty());
  CHECK(all<PassStory>(nowhere).at(0).second.outcome == "dropped");
  CHECK(all<DropStory>(nowhere).at(0).second.reason == "switch_program");
}
