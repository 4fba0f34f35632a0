// Linearizability of one object of any kind, by search.
//
// Wing and Gong, "Testing and Verifying Concurrent Objects" (J. Parallel and Distributed Computing 17, 1993), with the
// memory of visited configurations by Lowe, "Testing for Linearizability" (Concurrency and Computation: Practice and
// Experience 29(4), 2017): depth first over the orders that respect real time, taking one operation after the other,
// and never twice into the same set of taken operations with the same state of the object. The problem is NP-complete
// (Gibbons and Korach, 1997): the number of steps is bounded, and grows with the concurrency rather than with the
// length of a history that passes.
#pragma once

#include <cstdint>

#include "sim/checkers/outcome.hpp"
#include "sim/checkers/specification.hpp"

namespace racksim::sim::checkers {

/// Whether the operations, all on one object that holds `initial` at first, are linearizable. Throws
/// std::invalid_argument if they are no history (require_history).
Outcome search_linearizable(Operations operations, const SequentialSpecification& object, std::uint64_t initial,
                            SearchBudget budget = {});

}  // namespace racksim::sim::checkers
