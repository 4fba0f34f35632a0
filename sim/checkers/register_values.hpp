// The values of one register whose writes carry unique values: which write gave each, and which operations had to do
// with it. With unique values a history tells what each read saw, and much that is NP-complete for registers in general
// becomes polynomial (Gibbons and Korach, 1997).
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sim/checkers/outcome.hpp"

namespace racksim::sim::checkers {

/// The values of a history, by number: 0 is the initial value, the others follow in the order of their writes'
/// invocation. Throws std::invalid_argument if the operations are no history (require_history).
class RegisterValues {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// All operations are on one register, which holds `initial` at first.
  RegisterValues(Operations operations, std::uint64_t initial);

  /// Undecided if an operation is no read or write or two writes carry one value, fail if a read that returned saw a
  /// value that nobody writes, else pass. Unless it is pass, nothing below may be asked.
  const Outcome& problem() const { return problem_; }

  std::size_t size() const { return writes_.size(); }
  /// The number of the value that an operation read or writes; kNone for a pending read.
  std::size_t value_of(std::size_t operation) const { return value_of_[operation]; }
  /// The operation that writes a value, by index; kNone for the initial value.
  std::size_t write_of(std::size_t value) const { return writes_[value]; }

 private:
  Outcome problem_;
  std::vector<std::size_t> writes_;
  std::vector<std::size_t> value_of_;
};

}  // namespace racksim::sim::checkers
