// Holes of transition tables, and what is said of a pair that is not defined. See table_description.hpp.
#include "models/service/table_description.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

namespace racksim::models {

namespace {

using Row = TableDescription::Row;
using RowKind = TableDescription::RowKind;

bool contains(const std::vector<std::size_t>& numbers, std::size_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::vector<const Row*> rows_of(const TableDescription& table, std::size_t state, std::size_t event) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) {
    if (contains(row.states, state) && contains(row.events, event)) rows.push_back(&row);
  }
  return rows;
}

/// What is wrong with the rows of one pair; empty if nothing is.
std::string hole_of(const std::vector<const Row*>& rows) {
  if (rows.empty()) return "no row";
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i]->guard.empty()) {
      return fmt::format("row '{}' has no guard, so '{}' is never tried", rows[i]->name, rows[i + 1]->name);
    }
  }
  if (!rows.back()->guard.empty()) {
    return fmt::format("the last row, '{}', has a guard: perhaps none holds", rows.back()->name);
  }
  if (rows.size() > 1 && rows.back()->kind == RowKind::impossible) {
    return fmt::format("is declared impossible, and has the row '{}'", rows.front()->name);
  }
  return "";
}

/// The states that rows lead to, from the initial one on.
std::vector<std::size_t> reachable_states(const TableDescription& table) {
  std::vector<std::size_t> reached{table.initial};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Row& row : table.rows) {
      if (row.next && contains(row.states, reached[i]) && !contains(reached, *row.next)) reached.push_back(*row.next);
    }
  }
  return reached;
}

std::string undefined(const TableDescription& table, std::size_t state, std::size_t event,
                      std::optional<sim::Key> key) {
  std::string text = fmt::format("{}: '{}' in the state '{}'", table.name, table.events[event], table.states[state]);
  const auto rows = rows_of(table, state, event);
  if (rows.empty()) {
    text += " is not defined";
  } else if (rows.back()->kind == RowKind::impossible) {
    text += fmt::format(" is declared impossible ({})", rows.back()->name);
  } else {
    text += " is not defined: no guard of its rows holds";
  }
  if (key) text += fmt::format(", key {}", sim::printed_key(*key));
  return text;
}

}  // namespace

std::vector<std::string> TableDescription::coverage_rows() const {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (row.kind != RowKind::impossible) names.push_back(fmt::format("{}: {}", name, row.name));
  }
  return names;
}

std::vector<std::string> holes(const TableDescription& table) {
  std::vector<std::string> found;
  for (const auto& [what, names] : {std::pair{"state", &table.states}, std::pair{"event", &table.events}}) {
    for (std::size_t i = 0; i < names->size(); ++i) {
      if ((*names)[i].empty()) found.push_back(fmt::format("{} {} has no name", what, i));
    }
  }
  for (std::size_t state = 0; state < table.states.size(); ++state) {
    for (std::size_t event = 0; event < table.events.size(); ++event) {
      const std::string hole = hole_of(rows_of(table, state, event));
      if (!hole.empty()) found.push_back(fmt::format("{} / {}: {}", table.states[state], table.events[event], hole));
    }
  }
  const auto reached = reachable_states(table);
  for (std::size_t state = 0; state < table.states.size(); ++state) {
    if (!contains(reached, state)) found.push_back(fmt::format("no row leads to the state '{}'", table.states[state]));
  }
  std::map<std::string, int> uses;
  for (const Row& row : table.rows) {
    if (row.name.empty()) found.emplace_back("a row has no name");
    if (++uses[row.name] == 2) found.push_back(fmt::format("two rows have the name '{}'", row.name));
  }
  return found;
}

UndefinedTransition::UndefinedTransition(const TableDescription& table, std::size_t state, std::size_t event,
                                         sim::KeyAndOperations about)
    : std::logic_error(undefined(table, state, event, about.key)), about_(std::move(about)) {}

}  // namespace racksim::models
