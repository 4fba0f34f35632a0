// The hold model: a fixed number of pending events, each of which schedules one new event when it is executed. The
// classical measure of a calendar (Jones, "An empirical comparison of priority-queue and event-set implementations",
// 1986), here for the calendar and for what other simulators use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/rounds.hpp"

namespace racksim::tools {

/// Events executed per second at one number of pending events.
struct HoldResult {
  std::uint64_t pending = 0;
  Spread calendar, priority_queue, multiset;
  Spread over_priority_queue, over_multiset;  ///< the calendar's rate over theirs
};

/// Runs all three in turns, `events` a round. Increments are uniform up to 2 us: what wires, pipelines and cores ask
/// for.
HoldResult run_hold_model(std::uint64_t pending, std::uint64_t events, unsigned rounds);

}  // namespace racksim::tools
