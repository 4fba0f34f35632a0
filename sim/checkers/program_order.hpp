// The sessions of a history as programs, for the searches over interleavings.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/checkers/operation.hpp"

namespace racksim::sim::checkers {

/// Operations are meant by their index in the history.
struct Programs {
  /// An operation that never returned: if it takes effect, then after the first `after` operations of its session.
  struct Pending {
    std::size_t operation;
    std::size_t session;
    std::size_t after;
  };

  std::vector<std::vector<std::size_t>> sessions;  ///< what returned, in program order; sessions by their number
  std::vector<Pending> pending;
};

Programs programs_of(Operations operations);

}  // namespace racksim::sim::checkers
