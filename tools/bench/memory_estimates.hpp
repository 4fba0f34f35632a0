// What runs of every protocol take of the machine's memory, beside what is told from their options before they begin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

struct MemoryEstimate {
  std::string run;  ///< "selcc.default", "selcc.quick"
  std::uint64_t estimate = 0, peak = 0;
};

/// Of each protocol with its defaults and a workload's, and of its quick scenario, each for so many operations. Runs are
/// children of this process and begin with its memory (scenario_runs.hpp). Throws std::runtime_error when one fails.
std::vector<MemoryEstimate> memory_estimates(const std::string& operations, const Catalogue& catalogue);

}  // namespace racksim::tools
