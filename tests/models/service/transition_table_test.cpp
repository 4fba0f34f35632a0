// Transition tables as protocols execute them: guards, actions, next states, coverage, and pairs that are not defined.
#include "models/service/transition_table.hpp"

#include <catch2/catch.hpp>

namespace transition_table_test {

using namespace racksim;
using namespace racksim::models;
using Catch::Matchers::Message;

namespace {

enum class Door : std::uint8_t { shut, open, locked, count };
enum class Deed : std::uint8_t { push, pull, turn, count };

/// Somebody at the door, who notes what is done.
struct Visitor {
  bool key = false, strong = false;
  std::string done = {};

  sim::KeyAndOperations key_and_operations() const {
    return {sim::Key{7u}, {sim::OperationId{42u}, sim::OperationId{43u}}};
  }
};

using Table = TransitionTable<Door, Deed, Visitor>;

constexpr Table::Guard kKey{"has the key", [](const Visitor& visitor) { return visitor.key; }};
constexpr Table::Guard kStrong{"is strong", [](const Visitor& visitor) { return visitor.strong; }};
constexpr Table::Action kCreak{"creak", [](Visitor& visitor) { visitor.done += "creak "; }};
constexpr Table::Action kSlam{"slam", [](Visitor& visitor) { visitor.done += "slam "; }};

/// Of its pairs open / turn is not defined, and nothing is for locked / push if no guard holds.
Table door() {
  return Table({
      .name = "door",
      .doc = "a door",
      .states = {"shut", "open", "locked"},
      .events = {"push", "pull", "turn"},
      .initial = Door::shut,
      .rows = {{"open", {Door::shut}, {Deed::push}, {}, {kCreak}, Door::open, "§1"},
               {"close", {Door::open}, {Deed::push, Deed::pull}, {}, {kCreak, kSlam}, Door::shut, "§1"},
               {"unlock", {Door::locked}, {Deed::push}, kKey, {}, Door::shut, "§2"},
               {"force", {Door::locked}, {Deed::push}, kStrong, {kSlam, kCreak}, Door::open, "§2"},
               {"rattle", {Door::shut}, {Deed::turn}, {}, {kCreak}, std::nullopt, ""}},
      .ignored = {{{Door::shut, Door::locked}, {Deed::pull}, "it opens the other way"}},
      .impossible = {{{Door::locked}, {Deed::turn}, "the key is away"}},
  });
}

const sim::CoverageProbe kUncovered;

}  // namespace

TEST_CASE("a row runs its actions in their order and leads to its next state") {
  const Table table = door();
  Visitor visitor;
  Door state = Door::shut;
  table.on(state, Deed::push, visitor, kUncovered);
  CHECK(state == Door::open);
  CHECK(visitor.done == "creak ");
  table.on(state, Deed::pull, visitor, kUncovered);
  CHECK(state == Door::shut);
  CHECK(visitor.done == "creak creak slam ");
  table.on(state, Deed::turn, visitor, kUncovered);
  CHECK(state == Door::shut);
  CHECK(visitor.done == "creak creak slam creak ");
}

TEST_CASE("rows of one pair are tried in their order: the first whose guard holds is executed") {
  const Table table = door();
  const auto pushed = [&](Visitor visitor) {
    Door state = Door::locked;
    table.on(state, Deed::push, visitor, kUncovered);
    return std::pair{state, visitor.done};
  };
  CHECK(pushed({.key = true}) == std::pair{Door::shut, std::string()});
  CHECK(pushed({.strong = true}) == std::pair{Door::open, std::string("slam creak ")});
  CHECK(pushed({.key = true, .strong = true}) == std::pair{Door::shut, std::string()});
}

TEST_CASE("an ignored pair does nothing") {
  const Table table = door();
  Visitor visitor;
  for (const Door begin : {Door::shut, Door::locked}) {
    Door state = begin;
    table.on(state, Deed::pull, visitor, kUncovered);
    CHECK(state == begin);
  }
  CHECK(visitor.done.empty());
}

TEST_CASE("a pair that is not defined, or declared impossible, throws and says what it was about") {
  const Table table = door();
  Visitor visitor;
  const auto refused = [&](Door state, Deed deed, const std::string& message) {
    const Door before = state;
    CHECK_THROWS_MATCHES(table.on(state, deed, visitor, kUncovered), UndefinedTransition, Message(message));
    CHECK(state == before);
  };
  refused(Door::open, Deed::turn, "door: 'turn' in the state 'open' is not defined, key 0x7");
  refused(Door::locked, Deed::push,
          "door: 'push' in the state 'locked' is not defined: no guard of its rows holds, key 0x7");
  refused(Door::locked, Deed::turn,
          "door: 'turn' in the state 'locked' is declared impossible (the key is away), key 0x7");
  CHECK(visitor.done.empty());
  Door state = Door::open;
  try {
    table.on(state, Deed::turn, visitor, kUncovered);
  } catch (const UndefinedTransition& undefined) {
    CHECK(undefined.key_and_operations().key == sim::Key{7u});
    CHECK(undefined.key_and_operations().operations ==
          std::vector<sim::OperationId>{sim::OperationId{42u}, sim::OperationId{43u}});
  }
}

TEST_CASE("coverage counts the rows and what is ignored, behind those of the tables before") {
  const Table table = door();
  sim::CoverageMap map;
  map.race_points = {"a race"};
  const int another = 0;
  map.add_rows(&another, {"another table's"});
  map.add_rows(&table.description(), table.description().coverage_rows());
  REQUIRE(map.rows == std::vector<std::string>{"another table's", "door: open", "door: close", "door: unlock",
                                               "door: force", "door: rattle", "door: it opens the other way"});
  sim::Coverage coverage(map);
  const sim::CoverageProbe probe(&coverage);
  Visitor strong{.strong = true};
  Door state = Door::locked;
  table.on(state, Deed::push, strong, probe);
  state = Door::shut;
  table.on(state, Deed::pull, strong, probe);
  state = Door::locked;
  CHECK_THROWS(table.on(state, Deed::turn, strong, probe));
  std::vector<std::string> reached;
  for (std::size_t point = 0; point < map.points(); ++point) {
    if (coverage.reached(point)) reached.push_back(map.name_of(point));
  }
  CHECK(reached == std::vector<std::string>{"door: force", "door: it opens the other way"});
}

TEST_CASE("coverage of a table that the map does not list is an error, not a row of another table") {
  const Table table = door();
  sim::CoverageMap map;
  const int another = 0;
  map.add_rows(&another, table.description().coverage_rows());
  sim::Coverage coverage(map);
  Visitor visitor;
  Door state = Door::shut;
  CHECK_THROWS_AS(table.on(state, Deed::push, visitor, sim::CoverageProbe(&coverage)), std::logic_error);
}

TEST_CASE("a table describes itself in the words of its definition") {
  const TableDescription description = door().description();
  CHECK(description.name == "door");
  CHECK(description.initial == 0);
  CHECK(description.states == std::vector<std::string>{"shut", "open", "locked"});
  REQUIRE(description.rows.size() == 7);
  const TableDescription::Row& force = description.rows[3];
  CHECK(force.name == "force");
  CHECK(force.states == std::vector<std::size_t>{2});
  CHECK(force.events == std::vector<std::size_t>{0});
  CHECK(force.guard == "is strong");
  CHECK(force.actions == std::vector<std::string>{"slam", "creak"});
  CHECK(force.next == 1u);
  CHECK(force.section == "§2");
  CHECK_FALSE(description.rows[4].next);
  CHECK(description.rows[5].kind == TableDescription::RowKind::ignored);
  CHECK(description.rows[6].kind == TableDescription::RowKind::impossible);
  CHECK(description.rows[6].name == "the key is away");
}

}  // namespace transition_table_test
