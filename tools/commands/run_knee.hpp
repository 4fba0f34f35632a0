// `racksim run --knee`: the largest load of a scenario under a loss criterion (tools/knee/).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/commands/command_line.hpp"
#include "tools/commands/run_seeds.hpp"

namespace racksim::tools {

/// The options that stand beside `--knee`.
struct KneeArguments {
  bool wanted = false;
  double loss = 0.02;  ///< the artifact of StarCache
  double tolerance = 0.01;
  std::string load = "workload.rate";
  std::optional<std::uint64_t> from, to;  ///< a tenth and ten times of what the scenario says, if not given
  std::vector<std::string> probe;
};

/// Adds them to `racksim run`.
void add_knee_options(CLI::App& command, KneeArguments& arguments);

/// Looks for the knee of a scenario file under these overrides, and prints each probe and the knee, as text or JSON; with
/// several seeds each one's knee, and their mean. Returns exit_failed if one does not lie within the bounds. Throws
/// InputError.
int run_knee(const std::string& file, const std::vector<std::string>& overrides, const KneeArguments& arguments,
             const SeedArguments& seeds, bool json, bool quiet, CommandContext& context);

}  // namespace racksim::tools
