// Mutual exclusion: whoever holds a lock exclusively holds it alone.
//
// A session certainly holds a lock from the return of its request to the invocation of its release; the property
// (Dijkstra, "Solution of a Problem in Concurrent Programming Control", CACM 8(9), 1965; with shared holders: Courtois,
// Heymans and Parnas, "Concurrent Control with Readers and Writers", CACM 14(10), 1971) is that the certain intervals
// of incompatible holders do not overlap. That is the linearizability of the lock, decided in one sweep, because the
// shortest intervals are always the best explanation.
#pragma once

#include "sim/checkers/outcome.hpp"

namespace racksim::sim::checkers {

/// Judges all operations on one lock, which is free at first. A request that is pending holds nothing; a release that
/// is pending may or may not have taken effect. A lock whose holder crashed stays held: if recovery frees it, the
/// history must say so by an unlock in the name of the holder. Undecided if an operation is not a lock's, if operations
/// of a session that return overlap, or if a session releases what only a pending request can have given it. Throws
/// std::invalid_argument if the operations are no history (require_history).
Outcome check_mutual_exclusion(Operations operations);

}  // namespace racksim::sim::checkers
