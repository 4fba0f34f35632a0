// Random walks through a model, for what is too large to be explored: each begins at the beginning and takes one of the
// steps that there are, any of them alike, until there is none. Whatever a walk finds is wrong; that it finds nothing
// is no proof.
//
// Wrong is what is wrong in an exploration (search.hpp): what the model says of a step or a state, and a walk that does
// not come to its end. The walks of a seed are the same on every machine, and each is the same whichever others there
// are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/exploration/search.hpp"

namespace racksim::sim {

struct WalkLimits {
  std::uint64_t walks = 1;
  std::uint64_t seed = 1;
  /// A walk that is longer does not come to its end.
  std::uint64_t steps = 100'000;
};

/// What the walks have found.
struct Walks {
  std::uint64_t walks = 0;    ///< that were gone to their ends, or to what is wrong
  std::uint64_t steps = 0;    ///< of all
  std::uint64_t longest = 0;  ///< in steps
  /// Of the first walk that has found something, which is the last that was gone.
  std::optional<Exploration::Violation> violation;
};

/// Walks, up to the first that finds something. `stop` is asked every few walks whether to end early.
Walks walk(Model& model, const WalkLimits& limits, const std::function<bool()>& stop = {});

}  // namespace racksim::sim
