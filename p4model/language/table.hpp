// Actions and match-action tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "p4model/language/field.hpp"
#include "p4model/language/key_match.hpp"
#include "p4model/language/meter.hpp"
#include "p4model/language/register_array.hpp"

namespace racksim::p4 {

enum class VliwOperation : std::uint8_t {
  set,
  add,
  sub,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,
  min,
  max,
  invalidate,
  random,
};

/// One VLIW instruction: destination := first operation second, cut to the destination's width.
struct Primitive {
  VliwOperation operation;
  FieldRef destination;
  Operand first, second;
};

/// One execution of a register action: which entry, and the field that gets the output word.
struct RegisterExecution {
  RegisterAction* action;
  Operand index;  ///< a field, a hash, a constant or action data
  std::optional<FieldRef> output;
};

/// What a table does to a packet. All instructions read the packet as it was when it entered the stage, as VLIW
/// hardware does: `set(a, b).set(b, a)` swaps. A field may be written once per action.
struct Action {
  Action& set(FieldRef to, Operand value) { return add_primitive(VliwOperation::set, to, value, 0); }
  Action& add(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::add, to, a, b); }
  Action& sub(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::sub, to, a, b); }
  Action& bit_and(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::bit_and, to, a, b); }
  Action& bit_or(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::bit_or, to, a, b); }
  Action& bit_xor(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::bit_xor, to, a, b); }
  Action& bit_not(FieldRef to, Operand a) { return add_primitive(VliwOperation::bit_not, to, a, 0); }
  /// Shifts by a constant: hardware has no variable shift.
  Action& shift_left(FieldRef to, Operand a, unsigned n) { return add_primitive(VliwOperation::shift_left, to, a, n); }
  Action& shift_right(FieldRef to, Operand a, unsigned n) {
    return add_primitive(VliwOperation::shift_right, to, a, n);
  }
  Action& min(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::min, to, a, b); }
  Action& max(FieldRef to, Operand a, Operand b) { return add_primitive(VliwOperation::max, to, a, b); }
  /// Bits of the hardware's random number generator, at most 32. A draw depends on the run's seed, the packet and the
  /// instant of its pass alone.
  Action& random(FieldRef to) { return add_primitive(VliwOperation::random, to, 0, 0); }
  /// Takes an output field back to "unset".
  Action& invalidate(FieldRef output) { return add_primitive(VliwOperation::invalidate, output, 0, 0); }
  /// Runs `action` on the entry at `index`.
  Action& execute(RegisterAction& action, Operand index, std::optional<FieldRef> output = std::nullopt) {
    executions.push_back({.action = &action, .index = index, .output = output});
    return *this;
  }
  /// Has a meter colour the packet: by its entry at `index` (a field, a hash, a constant or action data), of a direct
  /// meter by that of the entry which was hit. `colour` gets 0 for green, 1 for yellow or 3 for red. With `pre_colour`
  /// the meter knows the colour that the packet has (colour-aware).
  Action& meter(const Meter& used, Operand index, FieldRef colour, std::optional<FieldRef> pre_colour = std::nullopt) {
    meters.push_back({.meter = &used, .index = index, .colour = colour, .pre_colour = pre_colour});
    return *this;
  }
  Action& direct_meter(const Meter& used, FieldRef colour, std::optional<FieldRef> pre_colour = std::nullopt) {
    meters.push_back({.meter = &used, .index = std::nullopt, .colour = colour, .pre_colour = pre_colour});
    return *this;
  }
  /// Counts the packet at `index`, or at the entry which was hit.
  Action& count(const Counter& used, Operand index) {
    counts.push_back({.counter = &used, .index = index});
    return *this;
  }
  Action& direct_count(const Counter& used) {
    counts.push_back({.counter = &used, .index = std::nullopt});
    return *this;
  }
  /// Declares a parameter that each table entry gives a value to.
  ActionDataRef data(std::string parameter, unsigned bits) {
    parameters.push_back({std::move(parameter), bits});
    return {static_cast<std::uint16_t>(parameters.size() - 1)};
  }

  struct Parameter {
    std::string name;
    unsigned bits;
  };
  std::string name;
  std::vector<Primitive> primitives;
  std::vector<RegisterExecution> executions;
  std::vector<MeterExecution> meters;
  std::vector<CounterExecution> counts;
  std::vector<Parameter> parameters;

 private:
  Action& add_primitive(VliwOperation operation, FieldRef to, Operand a, Operand b) {
    primitives.push_back({.operation = operation, .destination = to, .first = a, .second = b});
    return *this;
  }
};

/// A match-action table; without keys it always runs its default action.
struct Table {
  Table& key(FieldRef field, MatchKind kind = MatchKind::exact) {
    keys.push_back({field, kind});
    return *this;
  }
  Table& action(Action& added) {
    actions.push_back(&added);
    return *this;
  }
  /// What a miss runs (nothing when not given).
  Table& default_action(Action& chosen, std::vector<std::uint64_t> values = {}) {
    miss_action = &chosen;
    miss_values = std::move(values);
    return *this;
  }
  /// The most entries it can hold; in TCAM, rows (ternary_table.hpp says how many an entry takes).
  Table& size(std::uint32_t n) {
    max_entries = n;
    return *this;
  }
  /// An entry present from the start. In TCAM an entry is more important than those listed after it.
  Table& entry(std::vector<KeyMatch> key, Action& chosen, std::vector<std::uint64_t> values = {}) {
    entries.push_back({std::move(key), &chosen, std::move(values)});
    return *this;
  }
  /// Entries tell the control plane when no packet has hit them for long (models/switch/entry_timeouts.hpp).
  Table& idle_timeout() {
    ages = true;
    return *this;
  }
  /// Pins the table to a stage.
  Table& stage(int n) {
    pinned_stage = n;
    return *this;
  }
  /// All actions it can run, the default among them, each once.
  std::vector<Action*> all_actions() const;
  /// Whether its entries lie in TCAM: a key is not exact.
  bool in_tcam() const;
  /// Whether the longest prefix decides between entries: one key is lpm and the others are exact.
  bool by_prefix() const;

  struct Key {
    FieldRef field;
    MatchKind kind = MatchKind::exact;
  };
  struct Entry {
    std::vector<KeyMatch> key;
    Action* action;
    std::vector<std::uint64_t> values;
  };
  std::string name;
  std::uint32_t id = 0;
  std::vector<Key> keys;
  std::vector<Action*> actions;
  Action* miss_action = nullptr;
  std::vector<std::uint64_t> miss_values;
  std::uint32_t max_entries = 0;
  std::vector<Entry> entries;
  std::optional<int> pinned_stage;
  bool ages = false;
};

}  // namespace racksim::p4
