// `racksim fuzz --reach`: what the runs of templates have had, and what they never have.
#pragma once

#include <string>
#include <vector>

#include "tools/commands/command_line.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace racksim::tools {

/// Runs `plan` of each template and prints what they reach together. The exit status is 1 if a template fails.
int fuzz_reach(const std::vector<std::string>& templates, const std::vector<std::string>& overrides, std::uint64_t seed,
               const FuzzPlan& plan, bool json, CommandContext& context);

}  // namespace racksim::tools
