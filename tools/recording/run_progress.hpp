// How far a run is, for those who wait for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/kernel/time.hpp"

namespace racksim::tools {

struct RunProgress {
  /// What it does: fills caches outside simulated time, simulates a phase, or lets the oracles judge.
  enum class Stage : std::uint8_t { filling, warm_up, measure, drain, judging };

  Stage stage{};
  sim::Time now;                    ///< of the run
  std::uint64_t operations = 0;     ///< that have ended
  std::optional<double> done = {};  ///< the share of warm-up and measurement that is over, where that can be told
};

/// Told now and then. Costs the run nothing that it does not do itself.
using Progress = std::function<void(const RunProgress&)>;

/// The share of a phase, and of what was before it, that is over: `now` of a phase of `length` that began at `begun`, all
/// in the phase's own unit. At most 1.
double share_done(double now, double begun, double length);

/// In words, `seconds` of real time after the simulation has begun.
std::string progress_text(const RunProgress& progress, double seconds);

}  // namespace racksim::tools
