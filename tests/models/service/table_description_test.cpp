// Holes of transition tables: each kind is planted in a table that has none.
#include "models/service/table_description.hpp"

#include <catch2/catch.hpp>

namespace table_description_test {

using namespace racksim::models;

namespace {

using RowKind = TableDescription::RowKind;
using Lines = std::vector<std::string>;

/// Two states and two events, with each kind of row.
TableDescription whole() {
  TableDescription table;
  table.name = "lamp";
  table.states = {"off", "on"};
  table.events = {"press", "burn out"};
  table.rows = {{RowKind::transition, "light", {0}, {0}, "has power", {"shine"}, 1, "§1"},
                {RowKind::transition, "stay dark", {0}, {0}, "", {}, {}, "§1"},
                {RowKind::transition, "darken", {1}, {0, 1}, "", {}, 0, "§1"},
                {RowKind::impossible, "only a lamp that is on burns out", {0}, {1}, "", {}, {}, ""}};
  return table;
}

}  // namespace

TEST_CASE("a complete table has no holes") {
  CHECK(holes(whole()) == Lines{});
}

TEST_CASE("a pair without a row is a hole") {
  TableDescription table = whole();
  table.rows[2].events = {1};
  CHECK(holes(table) == Lines{"on / press: no row"});
}

TEST_CASE("a pair whose last row has a guard is a hole") {
  TableDescription table = whole();
  table.rows[1].guard = "has none";
  CHECK(holes(table) == Lines{"off / press: the last row, 'stay dark', has a guard: perhaps none holds"});
}

TEST_CASE("a row behind one without a guard is never tried") {
  TableDescription table = whole();
  table.rows[0].guard = "";
  CHECK(holes(table) == Lines{"off / press: row 'light' has no guard, so 'stay dark' is never tried"});
}

TEST_CASE("a pair cannot be impossible and have rows") {
  TableDescription table = whole();
  table.rows[0].events = {0, 1};
  CHECK(holes(table) == Lines{"off / burn out: is declared impossible, and has the row 'light'"});
}

TEST_CASE("a state that no row leads to is a hole, even if it leads to others") {
  TableDescription table = whole();
  table.states.emplace_back("broken");
  table.rows.push_back({RowKind::transition, "mend", {2}, {0, 1}, "", {}, 0, ""});
  CHECK(holes(table) == Lines{"no row leads to the state 'broken'"});
  table.rows[2].next = 2;
  CHECK(holes(table) == Lines{});
}

TEST_CASE("names that are missing or used twice are holes") {
  TableDescription table = whole();
  table.rows[1].name = "light";
  CHECK(holes(table) == Lines{"two rows have the name 'light'"});
  table = whole();
  table.rows[2].name = "";
  CHECK(holes(table) == Lines{"a row has no name"});
  table = whole();
  table.states[1] = "";
  table.events[0] = "";
  CHECK(holes(table) == Lines{"state 1 has no name", "event 0 has no name"});
}

}  // namespace table_description_test
