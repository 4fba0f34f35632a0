// `racksim run --seeds N`: a scenario with several seeds, and how well they tell its metrics (tools/seeds/).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tools/commands/command_line.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/seeds/seed_runs.hpp"

namespace racksim::tools {

/// The options about seeds of a command.
struct SeedArguments {
  std::uint64_t seeds = 0;          ///< 0 if not given
  std::optional<double> precision;  ///< a share
  std::uint64_t most = 100;
  std::optional<unsigned> jobs;  ///< one per core if not given

  bool wanted() const { return seeds > 0 || precision; }
  unsigned jobs_or_cores() const { return jobs.value_or(std::max(1U, std::thread::hardware_concurrency())); }
};

/// With a precision there are at least so many.
inline constexpr std::uint64_t kFewestForPrecision = 5;

/// Adds `--seeds` and `--jobs`, where `doc` says what is run with each seed.
void add_seed_options(CLI::App& command, SeedArguments& arguments, const std::string& doc);
/// Adds `--precision` and `--most-seeds` beside them.
void add_precision_options(CLI::App& command, SeedArguments& arguments);

/// Throws InputError if options are given that only several seeds have a use for.
void check_seed_options(const SeedArguments& arguments, const std::string& command);

/// The exit status of several runs: exit_internal_error if one did not end, exit_failed if one failed.
int status_of(const std::vector<SeedRun>& runs);

/// Runs the scenario of a file under these overrides with `seed`, or its own, and those that follow, and prints what they
/// come to. Returns their status. Throws InputError.
int run_with_seeds(const std::string& file, std::optional<std::uint64_t> seed,
                   const std::vector<std::string>& overrides, const SeedArguments& arguments, bool json, bool quiet,
                   bool verbose, CommandContext& context);

}  // namespace racksim::tools
