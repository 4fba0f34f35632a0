// A register action compiled to flat numbers, and its execution on one entry (docs/hardware.md 6.3).
//
// Inputs and constants are cut to the width of a half. Both comparators see the entry as it was; so do all updates.
#pragma once

#include <cstdint>
#include <cstring>

#include "p4model/language/register_array.hpp"

namespace racksim::p4 {

struct AluCode {
  /// 0 lo, 1 hi, 2 and 3 inputs, 4 the constant.
  struct Word {
    std::uint8_t index = 4;
    std::uint32_t constant = 0;
  };
  struct Comparator {
    bool used = false, signed_difference = false;
    std::uint8_t outcomes = 0;  ///< bit 0: true when less, 1: when equal, 2: when greater
    Word left, right;
    std::int64_t offset = 0;
  };
  struct Update {
    bool hi = false;
    AluOperation operation = AluOperation::set;
    std::uint8_t truth = 0;
    Word first, second;
  };

  /// A probe writes nothing and only hands back what its two unsigned comparators say (a tag lookup).
  bool probe = false;
  bool tag_probe = false;  ///< the most common one, an instruction of its own: is a pair of 32 bits (input 0, input 1)?
  std::uint8_t bits = 0;   ///< of a half
  std::uint8_t updates = 0;
  AluOutput output = AluOutput::none;
  std::uint8_t output_truth = 0;
  std::uint64_t mask = 0;
  std::uint16_t input_slot[2] = {0, 0};
  std::uint8_t input_shift[2] = {0, 0};
  Comparator comparators[2];
  Update update[4];
};

/// A field's number is its place in the PHV.
AluCode compile(const RegisterAction& action);

/// What a stateful ALU made of an entry.
struct AluResult {
  std::uint64_t lo, hi, output;
};

// What follows is always inlined: where the code is a constant, as in a generated pass, nothing is left of its tests.

[[gnu::always_inline]] inline std::uint64_t alu_compute(AluOperation operation, std::uint64_t a, std::uint64_t b,
                                                        std::uint64_t mask) {
  switch (operation) {
    case AluOperation::set:
      return a;
    case AluOperation::add:
      return (a + b) & mask;
    case AluOperation::sub:
      return (a - b) & mask;
    case AluOperation::add_saturating:
      return a + b > mask ? mask : a + b;
    case AluOperation::sub_saturating:
      return a < b ? 0 : a - b;
    case AluOperation::bit_and:
      return a & b;
    case AluOperation::bit_or:
      return a | b;
    case AluOperation::bit_xor:
      return a ^ b;
    case AluOperation::min:
      return a < b ? a : b;
    case AluOperation::max:
      return a < b ? b : a;
  }
  return a;
}

[[gnu::always_inline]] inline unsigned outcome_of(std::int64_t a, std::int64_t b) {
  return static_cast<unsigned>(a > b) * 2 + static_cast<unsigned>(a == b);
}

/// The PHV words that a register action takes in, and the entry that it finds.
struct AluInputs {
  std::uint64_t lo, hi, word_0, word_1;
};

/// The output of a probe, without a branch that depends on what it finds.
[[gnu::always_inline]] inline std::uint64_t run_probe(const AluCode& code, const AluInputs& in) {
  const std::uint64_t values[5] = {in.lo, in.hi, in.word_0 >> code.input_shift[0] & code.mask,
                                   in.word_1 >> code.input_shift[1] & code.mask, 0};
  const auto holds = [&](const AluCode::Comparator& c) {
    const auto left = values[c.left.index] + c.left.constant, right = values[c.right.index] + c.right.constant;
    return c.outcomes >> outcome_of(static_cast<std::int64_t>(left), static_cast<std::int64_t>(right) + c.offset) & 1u;
  };
  const auto results = holds(code.comparators[0]) | holds(code.comparators[1]) << 1;
  return code.output_truth >> results & 1u;
}

[[gnu::always_inline]] inline AluResult run_alu(const AluCode& code, const AluInputs& in) {
  const std::uint64_t values[5] = {in.lo, in.hi, in.word_0 >> code.input_shift[0] & code.mask,
                                   in.word_1 >> code.input_shift[1] & code.mask, 0};
  const auto value = [&](const AluCode::Word& word) { return values[word.index] + word.constant; };
  unsigned results = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const auto& c = code.comparators[i];
    if (!c.used) continue;
    const auto left = value(c.left), right = value(c.right);
    unsigned outcome;
    if (c.signed_difference) {
      const auto sign = std::uint64_t{1} << (code.bits - 1);
      const auto difference = (left - right) & code.mask;
      outcome = outcome_of(static_cast<std::int64_t>((difference ^ sign) - sign), c.offset);
    } else {
      outcome = outcome_of(static_cast<std::int64_t>(left), static_cast<std::int64_t>(right) + c.offset);
    }
    results |= (c.outcomes >> outcome & 1u) << i;
  }
  AluResult result{.lo = in.lo, .hi = in.hi, .output = 0};
  for (unsigned i = 0; i < code.updates; ++i) {
    const auto& u = code.update[i];
    if (!(u.truth >> results & 1)) continue;
    (u.hi ? result.hi : result.lo) = alu_compute(u.operation, value(u.first), value(u.second), code.mask);
  }
  if (code.output_truth >> results & 1) {
    switch (code.output) {
      case AluOutput::none:
        break;
      case AluOutput::old_lo:
        result.output = in.lo;
        break;
      case AluOutput::old_hi:
        result.output = in.hi;
        break;
      case AluOutput::new_lo:
        result.output = result.lo;
        break;
      case AluOutput::new_hi:
        result.output = result.hi;
        break;
      case AluOutput::input_0:
        result.output = values[2];
        break;
      case AluOutput::input_1:
        result.output = values[3];
        break;
      case AluOutput::predicate:
        result.output = 1;
        break;
      case AluOutput::predicates:
        result.output = std::uint64_t{1} << results;
        break;
    }
  }
  return result;
}

}  // namespace racksim::p4
