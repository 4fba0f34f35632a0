// What a run has come to, expectations included.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/experiment/phases.hpp"
#include "tools/experiment/run_over_time.hpp"
#include "tools/experiment/steady_state.hpp"
#include "tools/profile/profiler.hpp"

namespace racksim::tools {

/// What a run has given.
struct RunResult : RunOutcome {
  bool pass = true;  ///< no violation, no failed expectation, the run came to its end
  std::vector<std::string> failed_expectations;
  SteadyState steady;  ///< whether it was warm, and how well it tells its means
  RunOverTime over_time;
  double wall_seconds = 0;
  std::optional<Profile> profile;  ///< if someone asked for it
};

}  // namespace racksim::tools
