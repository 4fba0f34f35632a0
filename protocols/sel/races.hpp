// The races of SEL that a run can meet.
#pragma once

#include "sim/record/coverage.hpp"

namespace racksim::sel {

struct Races : sim::RacePoints {
  /// It takes its bit away again.
  sim::RacePoint reader_meets_writer = add("a reader meets a writer");
  /// It tries again.
  sim::RacePoint writer_meets_readers = add("a writer meets readers");
  sim::RacePoint writer_meets_writer = add("a writer meets a writer");
  sim::RacePoint waits_for_turn = add("a thread waits for its turn");
  /// The bit of its last attempt is taken away too.
  sim::RacePoint try_gives_up = add("a try-lock gives up");
  sim::RacePoint try_finds_turn_taken = add("a try-lock finds another thread's turn");
};
inline constexpr Races races{};

}  // namespace racksim::sel
