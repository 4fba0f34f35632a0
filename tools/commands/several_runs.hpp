// What `racksim run` does that takes more than one run: several seeds, until a precision is reached if one is asked for
// (tools/seeds/), and the largest load under a loss criterion (tools/knee/). The options about seeds serve `diff` as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tools/commands/command_line.hpp"
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

/// What an interruption is told with, after the results so far.
std::string of_those_that_ended(std::size_t count, const char* what);

/// The exit status of several runs: exit_internal_error if one did not end, exit_failed if one failed.
int status_of(const std::vector<SeedRun>& runs);

/// Runs the scenario of a file under these overrides with `seed`, or its own, and those that follow, and prints what they
/// come to. Each is kept in a folder seed-SEED of `out`, unless that is empty. Returns their status. Throws InputError.
int run_with_seeds(const std::string& file, std::optional<std::uint64_t> seed,
                   const std::vector<std::string>& overrides, const SeedArguments& arguments, const std::string& out,
                   bool json, bool quiet, bool verbose, CommandContext& context);

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
