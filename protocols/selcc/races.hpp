// The races of SELCC that a run can meet, by the rule or comment that answers them. What a line can go through at a
// node is the transition table's rows (frame_step.hpp).
#pragma once

#include "sim/record/coverage.hpp"

namespace racksim::selcc {

struct Races : sim::RacePoints {
  /// R13: the node's own release or undo is still on its way.
  sim::RacePoint word_names_its_reader = add("a word names the node that reads it");
  /// The word was read between two additions.
  sim::RacePoint word_names_an_innocent = add("a word names a node that has no part in it");
  /// The atomic was faster than the thread that waits for the line.
  sim::RacePoint confirmed_before_taken = add("a confirmation comes before the line is taken");
  /// The line has been given up, and the word does not say so yet.
  sim::RacePoint invalidation_meets_release = add("an invalidation meets a line whose release is on its way");
  /// R8: the line went to another.
  sim::RacePoint deferred_in_vain = add("a deferred invalidation loses to another");
  /// Between being chosen and being evicted.
  sim::RacePoint victim_in_use_again = add("a victim is in use again");
  /// R13.
  sim::RacePoint misses_merged = add("a thread waits for another's latch operation");
  /// A dead node's handover has not reached the word.
  sim::RacePoint claimed = add("a line is claimed that a dead node had given");
  /// It has, and the line has not come.
  sim::RacePoint given_without_the_line = add("a dead node's line never comes");
  /// The giver's share in the word goes to who got the line to read, and memory gets what the giver had not flushed.
  sim::RacePoint claimed_shared = add("a line to read is claimed that a dead node had given");
};
inline constexpr Races races{};

}  // namespace racksim::selcc
