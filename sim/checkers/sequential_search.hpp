// Sequential consistency across keys, by search.
//
// Lamport, "How to Make a Multiprocessor Computer That Correctly Executes Multiprocess Programs" (IEEE Trans. on
// Computers C-28(9), 1979): all results are as if the operations of all sessions were executed in some sequential
// order, in which those of each session come in program order. Real time does not count. Unlike linearizability it does
// not hold for all keys because it holds for each (Herlihy and Wing, 1990), so the search takes all keys together.
// Deciding it is NP-complete even if each value is written once (Gibbons and Korach, "Testing Shared Memories", SIAM J.
// Comput. 26(4), 1997): depth first, never twice into the same state, within a budget.
#pragma once

#include <cstdint>
#include <map>

#include "sim/checkers/outcome.hpp"
#include "sim/checkers/specification.hpp"

namespace racksim::sim::checkers {

/// What each key holds at first; 0 where it says nothing.
using InitialValues = std::map<std::uint64_t, std::uint64_t>;

/// Whether the operations are sequentially consistent, each key being one such object. Throws std::invalid_argument if
/// they are no history (require_history).
Outcome search_sequential(Operations operations, const SequentialSpecification& object,
                          const InitialValues& initial = {}, SearchBudget budget = {});

}  // namespace racksim::sim::checkers
