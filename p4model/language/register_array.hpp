// Register arrays and what a stateful ALU can do to one entry of them (docs/hardware.md 6.3).
//
// An entry is one word (`lo`) or a pair of equal words (`lo`, `hi`). A register action reads the entry, evaluates up to
// two comparators on it, applies at most two updates to each half, each under a condition on the comparators, writes
// the entry back and hands one word of at most 32 bits to the packet:
//
//   auto& lock = program.register_array("LOCK1", Width::single(16), 41'667);
//   auto& read_lock = lock.action("read_lock");
//   read_lock.compare_a(kLo, Comparison::less, 0x7fff)
//       .update(kLo, AluOperation::add, kLo, 1, kA)
//       .output(AluOutput::predicate, kA);  // 1 when the lock was taken
//
// What is outside this menu is refused when the program is loaded, by the array's name.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "p4model/language/field.hpp"

namespace racksim::p4 {

/// Width of an entry: 1, 8, 16 or 32 bits, or a pair of 8, 16 or 32.
struct Width {
  unsigned bits = 0;  ///< of one half
  bool pair = false;
  static constexpr Width single(unsigned bits) { return {bits, false}; }
  static constexpr Width pair_of(unsigned bits) { return {bits, true}; }
  constexpr unsigned total() const { return pair ? 2 * bits : bits; }
};

/// What a stateful ALU computes with: a half of the entry, one of its two inputs, or a constant.
struct AluWord {
  enum class Source : std::uint8_t { lo, hi, input, constant };
  constexpr AluWord(Source s, std::uint64_t v) : source(s), value(v) {}
  template <std::integral T>
  constexpr AluWord(T constant) : source(Source::constant), value(static_cast<std::uint64_t>(constant)) {}
  bool is_memory() const { return source == Source::lo || source == Source::hi; }

  Source source;
  std::uint64_t value;  ///< the input's number or the constant
};
inline constexpr AluWord kLo{AluWord::Source::lo, 0}, kHi{AluWord::Source::hi, 0};

/// A condition on the two comparators' results: bit (a + 2 b) says whether it holds for results a and b.
struct When {
  std::uint8_t truth = 0b1111;
  friend constexpr When operator&(When x, When y) { return {static_cast<std::uint8_t>(x.truth & y.truth)}; }
  friend constexpr When operator|(When x, When y) { return {static_cast<std::uint8_t>(x.truth | y.truth)}; }
  friend constexpr When operator~(When x) { return {static_cast<std::uint8_t>(~x.truth & 0b1111)}; }
};
inline constexpr When kAlways{0b1111}, kA{0b1010}, kB{0b1100};

enum class AluOperation : std::uint8_t {
  set,  ///< the first operand; the second is ignored
  add,
  sub,
  add_saturating,  ///< unsigned, stops at the largest value of the half
  sub_saturating,  ///< unsigned, stops at 0
  bit_and,
  bit_or,
  bit_xor,
  min,
  max,
};

/// The word handed to the packet. `predicate` is 1 where the output's condition holds; `predicates` has one of four
/// bits set, bit (a + 2 b) for results a and b of the comparators, as hardware hands it over.
enum class AluOutput : std::uint8_t { none, old_lo, old_hi, new_lo, new_hi, input_0, input_1, predicate, predicates };

/// One comparator. Unsigned: `left comparison right + offset`. As a signed difference: `left - right comparison
/// offset`, where the difference wraps at the width of a half (serial numbers).
struct AluComparator {
  AluWord left, right;
  Comparison comparison;
  std::int64_t offset = 0;
  bool signed_difference = false;
};

struct AluUpdate {
  bool hi = false;
  AluOperation operation = AluOperation::set;
  AluWord first{0}, second{0};
  When when;
};

/// A PHV field, or the part of it from bit `shift` on, as input of a stateful ALU (at most 32 bits are seen).
struct AluInput {
  FieldRef field;
  unsigned shift = 0;
};

struct RegisterArray;

/// One program of an array's stateful ALU.
struct RegisterAction {
  /// Binds a field as the next input and returns the word to use it by.
  AluWord input(FieldRef field, unsigned shift = 0) {
    inputs.push_back({field, shift});
    return {AluWord::Source::input, inputs.size() - 1};
  }
  RegisterAction& compare_a(AluWord left, Comparison comparison, AluWord right, std::int64_t offset = 0) {
    return comparator(0, {.left = left, .right = right, .comparison = comparison, .offset = offset});
  }
  RegisterAction& compare_b(AluWord left, Comparison comparison, AluWord right, std::int64_t offset = 0) {
    return comparator(1, {.left = left, .right = right, .comparison = comparison, .offset = offset});
  }
  RegisterAction& signed_difference_a(AluWord left, AluWord right, Comparison comparison, std::int64_t constant = 0) {
    return comparator(
        0, {.left = left, .right = right, .comparison = comparison, .offset = constant, .signed_difference = true});
  }
  RegisterAction& signed_difference_b(AluWord left, AluWord right, Comparison comparison, std::int64_t constant = 0) {
    return comparator(
        1, {.left = left, .right = right, .comparison = comparison, .offset = constant, .signed_difference = true});
  }
  /// half := first operation second, when the condition holds. `half` is kLo or kHi.
  RegisterAction& update(AluWord half, AluOperation operation, AluWord first, AluWord second, When when = kAlways) {
    updates.push_back({.hi = half.source == AluWord::Source::hi,
                       .operation = operation,
                       .first = first,
                       .second = second,
                       .when = when});
    return *this;
  }
  RegisterAction& set(AluWord half, AluWord value, When when = kAlways) {
    return update(half, AluOperation::set, value, 0, when);
  }
  /// The packet gets `source` where the condition holds and 0 elsewhere.
  RegisterAction& output(AluOutput source, When when = kAlways) {
    output_source = source;
    output_when = when;
    return *this;
  }

  std::string name;
  RegisterArray* array = nullptr;
  std::vector<AluInput> inputs;
  std::vector<std::pair<int, AluComparator>> comparators;  ///< (0 for a, 1 for b)
  std::vector<AluUpdate> updates;
  AluOutput output_source = AluOutput::none;
  When output_when;

 private:
  RegisterAction& comparator(int which, AluComparator c) {
    comparators.emplace_back(which, c);
    return *this;
  }
};

/// An array of registers in one stage.
struct RegisterArray {
  RegisterAction& action(std::string action_name) {
    auto& added = actions.emplace_back();
    added.name = std::move(action_name);
    added.array = this;
    return added;
  }
  /// Pins the array to a stage.
  RegisterArray& stage(int n) {
    pinned_stage = n;
    return *this;
  }

  std::string name;
  std::uint32_t id = 0;
  Width width;
  std::uint64_t size = 0;
  std::optional<int> pinned_stage;
  std::deque<RegisterAction> actions;
};

}  // namespace racksim::p4
