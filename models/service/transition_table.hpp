// Transition tables: where a protocol is a state machine, its paper's table is data that the code executes.
//
// A table has rows: in these states, at these events, if the guard holds, these actions, then the next state. Rows of
// one pair of a state and an event are tried in their order. Pairs that need nothing are declared ignored, and pairs
// that cannot happen impossible, each with the reason; a pair that is left out stops the run.
//
//   const TransitionTable<State, Event, Step> table({.name = "cache line",
//                                                    .states = {"invalid", "shared"},
//                                                    ...
//                                                    .rows = {{"miss", {State::invalid}, {Event::read}, {}, {kAsk},
//                                                              State::shared, "§4.2"}}});
//   table.on(line.state, Event::read, step, coverage);
//
// `State` and `Event` are enumerations from 0 to their enumerator `count`; `Context` is what guards and actions work on,
// one event of one machine, with `sim::KeyAndOperations key_and_operations() const`, which says what an undefined pair was
// about. A guard or an action is defined once, its text beside its body:
//
//   constexpr Table::Action ask{"send READ", [](Step& step) { step.send(MessageKind::read); }};
//
// A table is made once, and its rows are found by a dense index: executing one allocates nothing. Coverage knows a table
// by the address of its description, which the protocol's registration lists (protocol.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/service/table_description.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::models {

template <class State, class Event, class Context>
class TransitionTable {
 public:
  static constexpr std::size_t kStates = static_cast<std::size_t>(State::count);
  static constexpr std::size_t kEvents = static_cast<std::size_t>(Event::count);

  /// A predicate of the context, under the name that the table prints; without a function, that of a row without guard.
  struct Guard {
    constexpr Guard() = default;
    constexpr Guard(std::string_view text, bool (*predicate)(const Context&)) : name(text), holds(predicate) {}
    std::string_view name{};
    bool (*holds)(const Context&) = nullptr;
  };
  struct Action {
    constexpr Action(std::string_view text, void (*deed)(Context&)) : name(text), run(deed) {}
    std::string_view name;
    void (*run)(Context&);
  };
  struct Row {
    std::string_view name;
    std::vector<State> states;
    std::vector<Event> events;
    Guard guard;
    std::vector<Action> actions;
    std::optional<State> next;  ///< nothing: the state stays
    std::string_view section;   ///< of the paper
  };
  /// All pairs of these states and events.
  struct Pairs {
    std::vector<State> states;
    std::vector<Event> events;
    std::string_view reason;
  };
  struct Definition {
    std::string_view name;
    std::string_view doc;
    std::array<std::string_view, kStates> states;
    std::array<std::string_view, kEvents> events;
    State initial{};
    std::vector<Row> rows;
    std::vector<Pairs> ignored = {};
    std::vector<Pairs> impossible = {};
  };

  explicit TransitionTable(const Definition& definition) {
    description_.name = definition.name;
    description_.doc = definition.doc;
    description_.states.assign(definition.states.begin(), definition.states.end());
    description_.events.assign(definition.events.begin(), definition.events.end());
    description_.initial = number(definition.initial);
    for (const Row& row : definition.rows) {
      add(description_of(row), {row.guard, row.actions, row.next});
    }
    for (const Pairs& pairs : definition.ignored) {
      add(description_of(pairs, TableDescription::RowKind::ignored), {{}, {}, std::nullopt});
    }
    for (const Pairs& pairs : definition.impossible) {
      description_.rows.push_back(description_of(pairs, TableDescription::RowKind::impossible));
    }
    index_rows();
  }

  const TableDescription& description() const { return description_; }

  /// Executes the row of this state and event: its actions, then the next state. Actions must not raise events of the
  /// same machine. Throws UndefinedTransition, with nothing done, if there is none.
  void on(State& state, Event event, Context& context, const sim::CoverageProbe& coverage) const {
    const std::size_t pair = number(state) * kEvents + number(event);
    for (std::size_t i = first_[pair]; i != first_[pair + 1]; ++i) {
      const Executed& row = rows_[order_[i]];
      if (row.guard.holds != nullptr && !row.guard.holds(context)) continue;
      coverage.row(&description_, order_[i]);
      for (const Action& action : row.actions) action.run(context);
      if (row.next) state = *row.next;
      return;
    }
    throw UndefinedTransition(description_, number(state), number(event), context.key_and_operations());
  }

 private:
  /// What a row does.
  struct Executed {
    Guard guard;
    std::vector<Action> actions;
    std::optional<State> next;
  };

  template <class Enumeration>
  static constexpr std::size_t number(Enumeration value) {
    return static_cast<std::size_t>(value);
  }
  template <class Enumeration>
  static std::vector<std::size_t> numbers(const std::vector<Enumeration>& values) {
    std::vector<std::size_t> result;
    for (const Enumeration value : values) result.push_back(number(value));
    return result;
  }

  static TableDescription::Row description_of(const Row& row) {
    TableDescription::Row words;
    words.name = row.name;
    words.states = numbers(row.states);
    words.events = numbers(row.events);
    words.guard = row.guard.name;
    for (const Action& action : row.actions) words.actions.emplace_back(action.name);
    if (row.next) words.next = number(*row.next);
    words.section = row.section;
    return words;
  }
  static TableDescription::Row description_of(const Pairs& pairs, TableDescription::RowKind kind) {
    TableDescription::Row words;
    words.kind = kind;
    words.name = pairs.reason;
    words.states = numbers(pairs.states);
    words.events = numbers(pairs.events);
    return words;
  }
  void add(TableDescription::Row words, Executed row) {
    description_.rows.push_back(std::move(words));
    rows_.push_back(std::move(row));
  }

  /// Calls `each(pair, row)` for the pairs of all rows that do something.
  template <class Each>
  void for_pairs(const Each& each) const {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (const std::size_t state : description_.rows[row].states) {
        for (const std::size_t event : description_.rows[row].events) each(state * kEvents + event, row);
      }
    }
  }

  /// Sorts by counting: tables are made whenever the program starts.
  void index_rows() {
    for_pairs([&](std::size_t pair, std::size_t) { ++first_[pair + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    order_.resize(first_.back());
    auto next = first_;
    for_pairs([&](std::size_t pair, std::size_t row) { order_[next[pair]++] = row; });
  }

  TableDescription description_;
  std::vector<Executed> rows_;  // all but impossible ones, in the description's order
  // Rows of all pairs, one pair after the other, and where each pair's begin.
  std::vector<std::size_t> order_;
  std::array<std::size_t, kStates * kEvents + 1> first_{};
};

}  // namespace racksim::models
