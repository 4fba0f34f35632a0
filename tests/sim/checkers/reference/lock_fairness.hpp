// Fairness of a lock's queue: bounded overtaking.
//
// A request is overtaken when the lock is granted to an incompatible request that began later. Bounded overtaking
// allows that so many times a request and other session; with a bound of 0 the lock is first come, first served (Lamport, "A New Solution
// of Dijkstra's Concurrent Programming Problem", CACM 17(8), 1974). Clients do not see when a request reaches the lock,
// so requests that began within one `doorway` of each other have no order: the longest time that a request may take to
// enter the queue.
#pragma once

#include <cstdint>

#include "sim/checkers/outcome.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::sim::checkers {

/// What a fair lock may do at most.
struct FairnessLimits {
  std::uint64_t overtakings = 0;  ///< of one request, by one other session
  Duration doorway;
};

/// Judges all operations on one lock: the order in which requests are granted, not whether they exclude each other. A
/// pending request may never have reached the lock, so it cannot be overtaken (that a request is never granted is the
/// business of ProgressOracle). Undecided if an operation is not a lock's. Throws std::invalid_argument if the
/// operations are no history (require_history). Time: requests × those that wait at once.
Outcome check_lock_fairness(Operations operations, const FairnessLimits& limits = {});

}  // namespace racksim::sim::checkers
