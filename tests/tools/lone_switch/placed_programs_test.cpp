// Programs that need more of a switch's memory than one stage or the PHV has at one time, or less than they seem to: they
// run as they would if there were room for all (scenarios/switch).
#include <catch2/catch.hpp>

#include "tests/tools/lone_switch/examples.hpp"

namespace placed_programs_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

using Ports = std::vector<unsigned>;

std::string identification(const PacketStory& packet) {
  return field_of(all<DepartureStory>(packet).at(0).second.headers, "ipv4", "identification");
}

}  // namespace

TEST_CASE("slots: packets are counted at the index that their table entry names") {
  const auto story = story_of_example("example-slots", "slots");
  CHECK(identification(story.packets.at(0)) == "1");
  CHECK(identification(story.packets.at(1)) == "1");
  CHECK(identification(story.packets.at(2)) == "2");
  CHECK(ports_of(story.packets.at(2)) == Ports{1});
  CHECK(ports_of(story.packets.at(3)).empty());
  const auto accesses = steps(story.packets.at(2), StageStep::Type::access);
  REQUIRE(accesses.size() == 1);
  CHECK(accesses[0].index == 700);
}

TEST_CASE("routes: tables in several stages find their entries, and a miss is one of all stages") {
  const auto story = story_of_example("example-routes", "routes");
  CHECK(ports_of(story.packets.at(0)) == Ports{1});
  CHECK(ports_of(story.packets.at(1)) == Ports{2});
  CHECK(ports_of(story.packets.at(2)) == Ports{3});
  CHECK(ports_of(story.packets.at(3)).empty());
}

TEST_CASE("temporaries: words that share containers come to their sums") {
  const auto story = story_of_example("example-temporaries", "temporaries");
  // The first of n sums of neighbours of 7, 8, 9, ... is the sum of (7 + k) over the n-th row of Pascal's triangle, which
  // is 7 * 2^n + n * 2^(n - 1); n is 10.
  const std::uint64_t sum = 7 * 1024 + 10 * 512;
  CHECK(field_of(all<DepartureStory>(story.packets.at(0)).at(0).second.headers, "ipv4", "src") ==
        "0.0." + std::to_string(sum >> 8) + "." + std::to_string(sum & 255));
}

TEST_CASE("shared_table: both branches find the table's entries") {
  const auto story = story_of_example("example-shared-table", "shared_table");
  CHECK(ports_of(story.packets.at(0)) == Ports{7});
  CHECK(ports_of(story.packets.at(1)) == Ports{6});
  CHECK(field_of(all<DepartureStory>(story.packets.at(1)).at(0).second.headers, "ipv4", "dscp") == "0");
}

}  // namespace placed_programs_test
