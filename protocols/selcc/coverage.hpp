// The races of SELCC that a run can meet, by the rule or comment that answers them. What a line can go through at a
// node is the transition table's rows (transitions.hpp).
#pragma once

#include <cstdint>

#include "sim/record/coverage.hpp"

namespace racksim::selcc {

/// The names are in coverage.cpp, in this order.
enum class RacePoint : std::uint8_t {
  word_names_its_reader,       ///< R13: the node's own release or undo is still on its way
  word_names_an_innocent,      ///< the word was read between two additions
  confirmed_before_taken,      ///< the atomic was faster than the thread that waits for the line
  invalidation_meets_release,  ///< the line has been given up, and the word does not say so yet
  deferred_in_vain,            ///< R8: the line went to another
  victim_in_use_again,         ///< between being chosen and being evicted
  misses_merged,               ///< R13: a thread waits for another's latch operation
  claimed,                     ///< a dead node's handover has not reached the word
  given_without_the_line,      ///< it has, and the line has not come
  count
};

/// What SELCC declares when it registers.
sim::CoverageMap coverage_map();

}  // namespace racksim::selcc
