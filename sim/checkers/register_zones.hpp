// Linearizability and stale-read freedom of a register whose writes carry unique values, in O(n log n).
//
// Both ask for an order of the values that respects real time, and differ in whose end counts. Each value has a zone:
// an instant by which it was certainly in place, and the last instant at which an operation on it began. Value u is
// bound before value v if u was in place before an operation on v began. An order of all values exists exactly if no
// two values are bound before each other: of any cycle of bound values, the one whose last operation began latest is
// bound after all the others, so it makes a cycle of two with its successor.
//
//  * Linearizable: a value is in place at the first end of its write or of a read that saw it. These are the zones of
//    Gibbons and Korach, "Testing Shared Memories" (SIAM J. Comput. 26(4), 1997). register_history.hpp judges the same
//    while the history grows.
//  * Free of stale reads: a value is in place when its write is acknowledged. No read that begins after that returns an
//    older value; but reads that run beside a write may see it and miss it in turn. This is Lamport's regular register
//    ("On Interprocess Communication", Distributed Computing 1, 1986) with several writers, where all readers agree on
//    one order of the writes (Shao, Welch, Pierce and Lee, "Multiwriter Consistency Conditions for Shared Memory
//    Registers", SIAM J. Comput. 40(1), 2011), and what a switch cache that is invalidated before a write is
//    acknowledged promises.
//
// A write that is pending is in place when a read that returned saw it (linearizable), or never (stale reads); a
// pending read counts for nothing.
#pragma once

#include <cstdint>

#include "sim/checkers/outcome.hpp"

namespace racksim::sim::checkers {

/// Both judge all operations of one register, which holds `initial` at first. Undecided if they are not all reads and
/// writes of unique values. Throw std::invalid_argument if the operations are no history (require_history).
Outcome check_linearizable_register(Operations operations, std::uint64_t initial);
Outcome check_no_stale_read(Operations operations, std::uint64_t initial);

}  // namespace racksim::sim::checkers
