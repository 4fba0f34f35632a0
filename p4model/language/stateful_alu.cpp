#include "p4model/language/stateful_alu.hpp"

#include "p4model/language/header.hpp"

namespace racksim::p4 {

namespace {

AluCode::Word word_of(const AluWord& word, std::uint64_t mask) {
  switch (word.source) {
    case AluWord::Source::lo:
      return {0, 0};
    case AluWord::Source::hi:
      return {1, 0};
    case AluWord::Source::input:
      return {static_cast<std::uint8_t>(2 + word.value), 0};
    case AluWord::Source::constant:
      break;
  }
  return {4, static_cast<std::uint32_t>(word.value & mask)};
}

}  // namespace

AluCode compile(const RegisterAction& action) {
  AluCode code;
  code.bits = static_cast<std::uint8_t>(action.array->width.bits);
  code.mask = mask_of(code.bits);
  code.output = action.output_source;
  code.output_truth = action.output_when.truth;
  for (std::size_t i = 0; i < action.inputs.size(); ++i) {
    code.input_slot[i] = action.inputs[i].field.id;
    code.input_shift[i] = static_cast<std::uint8_t>(action.inputs[i].shift);
  }
  for (const auto& [which, c] : action.comparators) {
    code.comparators[which] = {.used = true,
                               .signed_difference = c.signed_difference,
                               .outcomes = outcomes_of(c.comparison),
                               .left = word_of(c.left, code.mask),
                               .right = word_of(c.right, code.mask),
                               .offset = c.offset};
  }
  for (const auto& u : action.updates) {
    code.update[code.updates++] = {.hi = u.hi,
                                   .operation = u.operation,
                                   .truth = u.when.truth,
                                   .first = word_of(u.first, code.mask),
                                   .second = word_of(u.second, code.mask)};
  }
  // A comparator that is not there never holds, which its empty set of outcomes says too.
  code.probe = action.updates.empty() && code.output == AluOutput::predicate &&
               !code.comparators[0].signed_difference && !code.comparators[1].signed_difference;
  const auto equals_input = [&](unsigned which) {
    const auto& c = code.comparators[which];
    return c.used && c.left.index == which && c.right.index == 2 + which && c.offset == 0 &&
           c.outcomes == outcomes_of(Comparison::equal);
  };
  code.tag_probe = code.probe && action.array->width.pair && code.bits == 32 && equals_input(0) && equals_input(1) &&
                   code.output_truth == (kA & kB).truth && code.input_shift[0] == 0 && code.input_shift[1] == 0;
  return code;
}

}  // namespace racksim::p4
