// What a run has come to, expectations included.
#pragma once

#include <string>
#include <vector>

#include "tools/experiment/phases.hpp"

namespace racksim::tools {

/// What a run has given.
struct RunResult : RunOutcome {
  bool pass = true;  ///< no violation, no failed expectation, the run came to its end
  std::vector<std::string> failed_expectations;
  double wall_seconds = 0;
};

}  // namespace racksim::tools
