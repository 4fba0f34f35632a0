// Exhaustive exploration of a model: all states that it can reach, breadth first, so that the way to what is wrong is
// as short as any.
//
// Three things can be wrong: a step or a state that the model says breaks a promise, and a state from which no order of
// steps leads to an end. The last is more than a deadlock: states that only lead to each other, as those of a protocol
// that asks again and again in vain, are found too. It is judged when all states are known, by going backwards over
// the transitions from the ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/exploration/model.hpp"

namespace racksim::sim {

struct ExplorationLimits {
  std::uint64_t states = std::uint64_t{1} << 31;
  std::uint64_t bytes = std::uint64_t{4} << 30;  ///< of the machine's memory, for states and transitions
};

/// What an exploration has found.
struct Exploration {
  struct Violation {
    std::string what;
    std::vector<std::string> trace;  ///< the steps that lead there from the beginning, in words
    std::string state;               ///< that they end in (or begin the last step in, if it is the step that is wrong)
  };

  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;     ///< of the states that are farthest from the beginning, in steps
  std::uint64_t terminal = 0;  ///< states without a step
  std::uint64_t ends = 0;
  std::uint64_t bytes = 0;  ///< of memory that states and transitions took
  std::optional<Violation> violation;
  /// Why not all states were seen; empty if they were, or if there is a violation.
  std::string cut_short;
};

/// Explores all states, or up to the first violation. `stop` is asked every few thousand states whether to end early.
Exploration explore(Model& model, const ExplorationLimits& limits = {}, const std::function<bool()>& stop = {});

}  // namespace racksim::sim
