// Total store order and partial store order: is what the sessions saw reachable on a machine with store buffers?
//
// The operational models: writes enter a buffer of their session and reach memory later. Under TSO (SPARC, x86) the
// buffer is first in, first out: Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO" (TPHOLs 2009). Under
// PSO (The SPARC Architecture Manual, version 8, appendix K, and version 9, appendix D) there is one such buffer for
// each address, so that writes to different addresses may reach memory in any order. In both a read takes the newest
// write to its address in its own buffer, or else the memory. A fence waits until the buffers of its session are empty.
// Locks and unlocks are fences too (GAM §4.1, and what any lock made of an atomic operation and a fence is): one is
// granted when its session's buffers are empty and nobody else holds it in a mode that excludes it, and given back when
// they are empty again.
// An atomic operation acts on memory directly, as soon as the buffer that a write in its place would enter is empty: it
// is a load and a store in one, and under PSO stores to different addresses have no order. The search is depth first,
// never twice into the same state, within a budget: meant for litmus tests and other short histories.
#pragma once

#include <cstdint>

#include "sim/checkers/outcome.hpp"
#include "sim/checkers/sequential_search.hpp"

namespace racksim::sim::checkers {

enum class StoreOrder : std::uint8_t { total, partial };

/// Whether the sessions can see what the operations returned, and memory hold `final_values` once all buffers are
/// empty (keys that it does not name may hold anything). Real time does not count. A pending write may enter its
/// session's buffer at any time after the operations invoked before it, or never; a pending unlock likewise. The key
/// of a lock is its own, whatever data have that key too. An unlock of what its session does not hold can never happen.
/// Throws std::invalid_argument for operations that are no history (require_history).
Outcome search_store_buffers(Operations operations, StoreOrder order, const InitialValues& initial = {},
                             const InitialValues& final_values = {}, SearchBudget budget = {});

}  // namespace racksim::sim::checkers
