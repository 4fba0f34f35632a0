// `racksim fuzz --strength`: whether templates notice that a safety mechanism is turned off.
#pragma once

#include <string>
#include <vector>

#include "tools/commands/command_line.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace racksim::tools {

/// Runs `plan.runs` for each mechanism and template at most, prints what was found, and gives the exit status: 1 if a
/// mechanism was not found, or a template fails as it is. A template may find what the first one does not.
int fuzz_strength(const std::vector<std::string>& templates, const std::vector<std::string>& overrides,
                  std::uint64_t seed, const FuzzPlan& plan, bool json, CommandContext& context);

}  // namespace racksim::tools
