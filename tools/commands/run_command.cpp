// racksim run FILE: runs a scenario and prints its report.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <ostream>
#include <stdexcept>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/commands/several_runs.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/experiment/run_failure.hpp"
#include "tools/files/data_files.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/profile/profiler.hpp"
#include "tools/report/report_text.hpp"
#include "tools/report/run_folder.hpp"
#include "tools/scenario/contradictions.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

struct RunOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> overrides;
  std::string out;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool profile = false;
  KneeArguments knee;
  SeedArguments seeds;
};

/// The command line that makes a sub-command work on this run.
std::string command_for(const char* command, const RunOptions& options, const Scenario& scenario) {
  return racksim_command(command, options.file, {"--seed", std::to_string(scenario.seed)}, options.overrides);
}

/// Has the ticker show what a run tells. It is made when the run tells something: what is said before is not its business.
Progress told_by(ProgressLine& line, std::optional<ProgressTicker>& ticker) {
  using Clock = std::chrono::steady_clock;
  return [&, begun = std::optional<Clock::time_point>()](const RunProgress& now) mutable {
    if (!ticker) ticker.emplace(line);
    if (!begun && now.stage != RunProgress::Stage::filling) begun = Clock::now();
    ticker->tell([now, begun](double wall) {
      const double seconds = begun ? std::chrono::duration<double>(Clock::now() - *begun).count() : 0;
      return fmt::format("{}, {:.0f} s", progress_text(now, seconds), wall);
    });
  };
}

int run(const RunOptions& options, CommandContext& context) {
  check_seed_options(options.seeds, "racksim run");
  std::vector<std::string> overrides = options.overrides;
  if (options.seed) overrides.push_back(fmt::format("seed={}", *options.seed));
  if (options.knee.wanted) {
    return run_knee(options.file, overrides, options.knee, options.seeds, options.json, options.quiet, context);
  }
  if (options.seeds.wanted()) {
    return run_with_seeds(options.file, options.seed, options.overrides, options.seeds, options.out, options.json,
                          options.quiet, options.verbose, context);
  }
  std::optional<Profiler> profiler;
  if (options.profile) profiler.emplace();
  const Scenario scenario = load_scenario(find_scenario_file(options.file), context.catalogue, overrides);
  if (!options.out.empty()) check_run_folder(options.out, scenario, "racksim run", "--out");

  const auto begins = [&] {
    if (options.quiet) return;
    for (const auto& found : contradictions(scenario)) context.err << "racksim run: " << found << std::endl;
    const auto needs = needs_text(machine_needs(scenario), available_memory());
    if (!needs.empty()) context.err << "racksim run: " << needs << std::endl;
  };
  const bool stores = options.json || !options.out.empty();
  RunOrigin origin{command_for("run", options, scenario), {}};
  if (stores) origin.inputs = inputs_json(scenario.files);
  sim::Metrics metrics;
  RunResult result;
  {
    ProgressLine line(context.err, !options.quiet);
    std::optional<ProgressTicker> ticker;
    Progress progress;
    if (line.visible()) progress = told_by(line, ticker);
    try {
      result = run_experiment(scenario, metrics, options.out, progress, nullptr, {}, begins);
      if (profiler) result.profile = profiler->finish();
    } catch (const RunFailure& failure) {
      throw std::runtime_error(fmt::format("{}\n  replay: {}", failure.what(), origin.command));
    }
  }
  const StoredRun stored = stores ? stored_run(scenario, result, metrics, &origin) : StoredRun();
  if (options.json) {
    context.out << to_json(stored.report);
  } else if (!options.quiet) {
    const RunCommands commands{origin.command, command_for("explain", options, scenario)};
    context.out << report_text(scenario, result, metrics, commands, options.verbose ? Detail::all : Detail::usual);
  }
  // After what was found is told, which a full disk then cannot take away.
  context.out.flush();
  if (!options.out.empty()) write_run_folder(options.out, stored, "racksim run", "--out");
  return result.pass ? exit_ok : exit_failed;
}

void add_run(CommandContext& context) {
  auto* command = context.app.add_subcommand("run", "Run a scenario and print its report");
  const auto options = std::make_shared<RunOptions>();
  add_scenario(*command, "FILE", options->file, "Scenario file");
  add_number(*command, "--seed", options->seed, "Replace the scenario's seed");
  command->add_option("--set", options->overrides, "Replace a value: path=value")->expected(1)->take_all();
  command->add_option(
      "--out", options->out,
      "Write configuration, report and checkpoints to this folder; with several seeds to one of each in it, seed-SEED");
  command->add_flag("--json", options->json, "Print the report as JSON, alone on standard output");
  command->add_flag("--quiet", options->quiet, "Print nothing but errors: the exit status tells the verdict");
  command->add_flag("--verbose", options->verbose, "Print the numbers of all parts of the rack");
  command->add_flag("--profile", options->profile, "Tell which parts of the simulator the time went to");
  add_knee_options(*command, options->knee);
  add_seed_options(*command, options->seeds, "Run it with so many seeds, from its own on: means and 95 % intervals");
  add_precision_options(*command, options->seeds);
  for (const char* several : {"--knee", "--seeds", "--precision"}) {
    command->get_option(several)->excludes(command->get_option("--profile"));
  }
  command->get_option("--knee")->excludes(command->get_option("--out"));
  command->get_option("--knee")->excludes(command->get_option("--precision"));
  command->callback([&context, options] { context.action = [&context, options] { return run(*options, context); }; });
}

const sim::Registration<CommandEntry> run_command({.name = "run", .add = add_run});

}  // namespace

}  // namespace racksim::tools
