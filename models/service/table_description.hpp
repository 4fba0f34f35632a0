// A transition table in words: what `racksim table` prints, tests check for holes, and coverage counts. The typed table
// that protocols execute makes its own (transition_table.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/oracles/oracle.hpp"

namespace racksim::models {

/// States and events are numbers: indices of their names.
struct TableDescription {
  enum class RowKind : std::uint8_t {
    transition,
    ignored,    ///< nothing is done and the state stays, for the reason that is its name
    impossible  ///< it cannot happen, for the reason that is its name: if it does, the run ends
  };
  struct Row {
    RowKind kind = RowKind::transition;
    std::string name;
    std::vector<std::size_t> states;
    std::vector<std::size_t> events;
    std::string guard;  ///< empty: none
    std::vector<std::string> actions;
    std::optional<std::size_t> next;  ///< nothing: the state stays
    std::string section;              ///< of the paper
  };

  std::string name;  ///< "store client"
  std::string doc;   ///< what it is the life of
  std::vector<std::string> states;
  std::vector<std::string> events;
  std::size_t initial = 0;
  std::vector<Row> rows;  ///< in the order in which guards are tried; impossible ones come last

  /// The rows that coverage counts, all but impossible ones, as "TABLE: ROW".
  std::vector<std::string> coverage_rows() const;
};

/// What is wrong with a table, one line each; nothing if it is complete: pairs of a state and an event without a row,
/// pairs with several of which one rules the others out, pairs of which all rows have a guard, states that no row leads
/// to, names that are missing or used twice.
std::vector<std::string> holes(const TableDescription& table);

/// An event met a state in which the table has nothing for it, or says that it cannot happen. A run ends with it, as
/// the violation "undefined-transition". The text names the key: operations are for the event log to name.
class UndefinedTransition : public std::logic_error {
 public:
  UndefinedTransition(const TableDescription& table, std::size_t state, std::size_t event, sim::KeyAndOperations about);

  const sim::KeyAndOperations& key_and_operations() const { return about_; }

 private:
  sim::KeyAndOperations about_;
};

}  // namespace racksim::models
