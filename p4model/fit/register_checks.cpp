// What a stateful ALU can do (docs/hardware.md 6.3).
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "p4model/fit/checks.hpp"

namespace racksim::p4 {

namespace {

constexpr std::size_t kMaxActions = 4, kMaxInputs = 2, kMaxUpdatesPerHalf = 2, kMaxConstants = 4;
constexpr std::int64_t kMinImmediate = -8, kMaxImmediate = 7;

class ArrayChecker {
 public:
  ArrayChecker(const Program& program, const RegisterArray& array) : program_(program), array_(array) {}

  void run() {
    const auto bits = array_.width.bits;
    const bool known = bits == 8 || bits == 16 || bits == 32 || (bits == 1 && !array_.width.pair);
    if (!known) {
      fail("its entries are {} bits wide; a stateful ALU has 1, 8, 16 or 32 bits, or a pair of 8, 16 or 32",
           array_.width.pair ? fmt::format("2 x {}", bits) : std::to_string(bits));
    }
    if (array_.size == 0 || array_.size > std::uint64_t{1} << 32) fail("it has {} entries", array_.size);
    if (array_.actions.size() > kMaxActions) {
      fail("it has {} register actions, at most {} are possible", array_.actions.size(), kMaxActions);
    }
    for (const auto& action : array_.actions) check(action);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
    throw ProgramError(fmt::format("program '{}', register array '{}'{}: {}", program_.name(), array_.name,
                                   action_ ? fmt::format(", action '{}'", action_->name) : "",
                                   fmt::format(text, std::forward<Args>(args)...)));
  }

  void check(const RegisterAction& action) {
    action_ = &action;
    constants_.clear();
    if (action.inputs.size() > kMaxInputs) {
      fail("it has {} inputs, a stateful ALU takes at most {}", action.inputs.size(), kMaxInputs);
    }
    for (const auto& input : action.inputs) {
      if (input.shift >= program_.info(input.field).bits) {
        fail("input '{}' starts at bit {} of {}", program_.info(input.field).name, input.shift,
             program_.info(input.field).bits);
      }
    }
    check_comparators(action);
    check_updates(action);
    if (action.output_source == AluOutput::old_hi || action.output_source == AluOutput::new_hi) word(kHi);
    if (action.output_source == AluOutput::input_0) word({AluWord::Source::input, 0});
    if (action.output_source == AluOutput::input_1) word({AluWord::Source::input, 1});
    if (constants_.size() > kMaxConstants) {
      fail("it uses {} constants outside {}..{}, a stateful ALU holds {}", constants_.size(), kMinImmediate,
           kMaxImmediate, kMaxConstants);
    }
    if (array_.width.bits == 1) check_one_bit(action);
    action_ = nullptr;
  }

  void check_comparators(const RegisterAction& action) {
    std::size_t count[2] = {0, 0};
    for (const auto& [which, comparator] : action.comparators) {
      ++count[which];
      word(comparator.left);
      word(comparator.right);
      constant(comparator.offset);
      if (comparator.left.is_memory() && comparator.right.is_memory()) fail("a comparator sees one half of the entry");
      if (comparator.left.source == AluWord::Source::input && comparator.right.source == AluWord::Source::input) {
        fail("a comparator sees one input");
      }
    }
    if (count[0] > 1 || count[1] > 1) {
      fail("it has {} predicates, a stateful ALU has two comparators, a and b", action.comparators.size());
    }
    const auto uses = [&](When when, When comparator) {
      // A truth table depends on a comparator when flipping that comparator's result changes it somewhere.
      const unsigned shift = comparator.truth == kA.truth ? 1 : 2;
      return ((when.truth & comparator.truth) >> shift) != (when.truth & (~comparator).truth);
    };
    const auto need = [&](When when) {
      if (uses(when, kA) && count[0] == 0) fail("a condition uses comparator a, which compares nothing");
      if (uses(when, kB) && count[1] == 0) fail("a condition uses comparator b, which compares nothing");
    };
    for (const auto& update : action.updates) need(update.when);
    need(action.output_when);
  }

  void check_updates(const RegisterAction& action) {
    std::size_t min_max = 0;
    for (const bool hi : {false, true}) {
      std::size_t updates = 0;
      unsigned covered = 0;
      for (const auto& update : action.updates) {
        if (update.hi != hi) continue;
        if (hi) word(kHi);
        word(update.first);
        if (update.operation != AluOperation::set) word(update.second);
        min_max += update.operation == AluOperation::min || update.operation == AluOperation::max;
        if (covered & update.when.truth) fail("two updates of one half can happen together");
        covered |= update.when.truth;
        ++updates;
      }
      if (updates > kMaxUpdatesPerHalf) {
        fail("it has {} updates of the {} half, a stateful ALU has {}", updates, hi ? "high" : "low",
             kMaxUpdatesPerHalf);
      }
    }
    if (min_max > 1) fail("it uses min or max {} times, a stateful ALU does so once", min_max);
  }

  void check_one_bit(const RegisterAction& action) {
    const bool plain = action.comparators.empty() && action.updates.size() <= 1 &&
                       std::all_of(action.updates.begin(), action.updates.end(), [](const AluUpdate& u) {
                         return u.operation == AluOperation::set && u.first.source == AluWord::Source::constant;
                       });
    const bool old = action.output_source == AluOutput::none || action.output_source == AluOutput::old_lo;
    if (!plain || !old) fail("one-bit entries can only be set or cleared, and return their old value");
  }

  void word(const AluWord& w) {
    if (w.source == AluWord::Source::hi && !array_.width.pair) fail("its entries are no pairs and have no high half");
    if (w.source == AluWord::Source::input && w.value >= action_->inputs.size()) fail("it has no input {}", w.value);
    if (w.source == AluWord::Source::constant) constant(static_cast<std::int64_t>(w.value));
  }
  void constant(std::int64_t value) {
    if (value < -(std::int64_t{1} << 31) || value >= std::int64_t{1} << 32)
      fail("constant {} has more than 32 bits", value);
    if (value < kMinImmediate || value > kMaxImmediate) constants_.insert(value);
  }

  const Program& program_;
  const RegisterArray& array_;
  const RegisterAction* action_ = nullptr;
  std::set<std::int64_t> constants_;
};

}  // namespace

void check_registers(const Program& program) {
  for (const auto& array : program.arrays()) ArrayChecker(program, array).run();
}

}  // namespace racksim::p4
