// What a checker concludes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/checkers/operation.hpp"

namespace racksim::sim::checkers {

enum class Verdict : std::uint8_t {
  pass,       ///< the history keeps the promise
  fail,       ///< the history breaks the promise
  undecided,  ///< the checker cannot tell: its budget was spent, or the history is not of a kind that it judges
};

/// A verdict and its reason.
struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string why;                    ///< empty for pass
  std::vector<Operation> operations;  ///< those that `why` speaks of
};

/// How many steps a search may take before it gives up as undecided. A step costs about 0.2 us and, if it reaches a
/// new state, about 50 bytes until the search ends.
struct SearchBudget {
  std::uint64_t steps = std::uint64_t{1} << 20;
};

/// The reason and the operations, in one line.
std::string explained(const Outcome& outcome, const SessionNames& names);

}  // namespace racksim::sim::checkers
