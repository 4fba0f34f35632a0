#include "sim/record/coverage.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace record_coverage_test {

using namespace racksim::sim;

namespace {

const int kOneTable = 0, kOtherTable = 0;

CoverageMap small_map() {
  CoverageMap map;
  map.states = {"idle", "busy", "broken"};
  map.messages = {"go", "stop"};
  map.race_points = {"both at once", "late"};
  map.impossible = {{2, "it does not break"}};
  map.add_rows(&kOneTable, {"begin", "go on"});
  map.add_rows(&kOtherTable, {"end"});
  return map;
}

struct Races : RacePoints {
  RacePoint both_at_once = add("both at once");
  RacePoint late = add("late");
};
struct MoreRaces : Races {
  RacePoint lost = add("lost");
};

}  // namespace

TEST_CASE("coverage counts reached pairs, races and rows, impossible states apart") {
  const CoverageMap map = small_map();
  Coverage coverage(map);
  coverage.pair(0, 1);
  coverage.pair(0, 1);
  coverage.pair(1, 0);
  coverage.race(1);
  coverage.row(&kOneTable, 0);
  coverage.row(&kOtherTable, 0);
  coverage.row(&kOtherTable, 0);
  auto count = coverage.count();
  CHECK(count.pairs == 2);
  CHECK(count.possible_pairs == 4);
  CHECK(count.race_points == 1);
  CHECK(count.declared_race_points == 2);
  CHECK(count.rows == 2);
  CHECK(count.declared_rows == 3);
  CHECK(count.impossible_pairs == 0);
  coverage.pair(2, 0);
  count = coverage.count();
  CHECK(count.pairs == 2);
  CHECK(count.impossible_pairs == 1);
}

TEST_CASE("every point of a coverage map has a name of its own") {
  const CoverageMap map = small_map();
  REQUIRE(map.points() == 11);
  CHECK(map.name_of(1) == "idle / stop");
  CHECK(map.name_of(2) == "busy / go");
  CHECK(map.name_of(6) == "both at once");
  CHECK(map.name_of(7) == "late");
  CHECK(map.name_of(8) == "begin");
  CHECK(map.name_of(10) == "end");
}

TEST_CASE("coverage survives its text and unites with what is there") {
  CoverageMap map;
  map.race_points.assign(200, "race");
  Coverage one(map), other(map);
  for (const std::size_t point : {0, 63, 64, 130, 199}) one.race(point);
  other.race(77);
  other.merge_text(one.text());
  for (std::size_t point = 0; point < 200; ++point) {
    const bool expected = point == 0 || point == 63 || point == 64 || point == 77 || point == 130 || point == 199;
    CHECK(other.reached(point) == expected);
  }
  CHECK_THROWS_AS(other.merge_text("00"), std::runtime_error);
}

TEST_CASE("a probe without a target does nothing") {
  const CoverageProbe off;
  CHECK_FALSE(off.on());
  off.pair(1000, 1000);
  off.race(RacePoint{1000});
  off.row(nullptr, 1000);
}

TEST_CASE("race points are numbered in the order of their declarations, a derived protocol's behind its base's") {
  constexpr MoreRaces races{};
  CHECK(races.names() == std::vector<std::string>{"both at once", "late", "lost"});
  CoverageMap map;
  map.race_points = races.names();
  Coverage coverage(map);
  CoverageProbe(&coverage).race(races.late);
  CoverageProbe(&coverage).race(races.lost);
  CHECK_FALSE(coverage.reached(0));
  CHECK(coverage.reached(1));
  CHECK(coverage.reached(2));
  CHECK(Races{}.names().size() == 2);
}

}  // namespace record_coverage_test
