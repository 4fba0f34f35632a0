// racksim diff RUN_A RUN_B: where two runs part, and what it does to their metrics.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/commands/several_runs.hpp"
#include "tools/diff/comparison.hpp"
#include "tools/diff/seed_comparison.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

struct DiffOptions {
  ComparedRun a, b;
  bool all = false;
  bool json = false;
  SeedArguments seeds;
};

SeedSide side_of(const ComparedRun& run, const Catalogue& catalogue) {
  const std::string file = scenario_file_of(run);
  SeedSide side{.given = run.given, .scenario = load_scenario(file, catalogue, run.overrides)};
  check_experiment(side.scenario);  // a mistake is told once, and before a run
  side.command = [file = std::filesystem::is_directory(run.given) ? file : run.given,
                  overrides = run.overrides](std::uint64_t seed) {
    return racksim_command("run", file, {"--seed", std::to_string(seed)}, overrides);
  };
  return side;
}

/// Both with the seeds that follow A's, which is also B's first.
int diff_with_seeds(const DiffOptions& options, CommandContext& context) {
  const SeedSide a = side_of(options.a, context.catalogue), b = side_of(options.b, context.catalogue);
  check_seeds(a.scenario.seed, options.seeds.seeds, {"racksim diff", "--seeds"});
  SeedComparison comparison;
  {
    ProgressLine line(context.err, true, std::chrono::seconds(2));
    comparison = compare_with_seeds(
        a, b, a.scenario.seed, options.seeds.seeds, options.all, options.seeds.jobs_or_cores(), [&](std::size_t done) {
          line.show(
              [&](double wall) { return fmt::format("{} of {} runs, {:.0f} s", done, 2 * options.seeds.seeds, wall); });
        });
  }
  if (comparison.a.empty()) {
    stop_if_interrupted([] { return "no pair of runs had ended"; });
  }
  context.out << (options.json ? to_json(seed_comparison_json(a, b, comparison))
                               : seed_comparison_text(a, b, comparison));
  stop_if_interrupted([&] { return of_those_that_ended(comparison.a.size(), "pairs of runs"); });
  const int of_a = status_of(comparison.a), of_b = status_of(comparison.b);
  const int of_difference = comparison.differing() > 0 ? exit_failed : exit_ok;
  return std::max({of_a, of_b, of_difference});
}

int diff(const DiffOptions& options, CommandContext& context) {
  check_seed_options(options.seeds, "racksim diff");
  if (options.seeds.wanted()) return diff_with_seeds(options, context);
  const RunComparison comparison = compare_runs(options.a, options.b, context.catalogue);
  if (options.json) {
    context.out << to_json(comparison_json(options.a, options.b, comparison, options.all));
  } else {
    context.out << comparison_text(options.a, options.b, comparison, options.all);
  }
  return comparison.same() ? exit_ok : exit_failed;
}

void add_diff(CommandContext& context) {
  auto* command = context.app.add_subcommand("diff", "Find the first point where two runs part, and compare metrics");
  const auto options = std::make_shared<DiffOptions>();
  command->add_option("RUN_A", options->a.given, "Folder of a run, or a scenario file to be run")->required();
  command->add_option("RUN_B", options->b.given, "The run to compare it with")->required();
  command->add_option("--program-a", options->a.program, "The racksim that executes RUN_A (default: this one)");
  command->add_option("--program-b", options->b.program, "The racksim that executes RUN_B (default: this one)");
  command->add_option("--set-a", options->a.overrides, "Replace a value of RUN_A, which is then run: path=value")
      ->expected(1)
      ->take_all();
  command->add_option("--set-b", options->b.overrides, "The same of RUN_B")->expected(1)->take_all();
  command->add_flag("--all", options->all,
                    "Show all metrics, not only those that differ, or with --seeds are asked for first");
  command->add_flag("--json", options->json, "Print the comparison as JSON, alone on standard output");
  add_seed_options(*command, options->seeds,
                   "Run both with so many seeds, from A's on, and compare the metrics that are asked for first");
  for (const char* program : {"--program-a", "--program-b"}) {
    command->get_option("--seeds")->excludes(command->get_option(program));
  }
  command->callback([&context, options] { context.action = [&context, options] { return diff(*options, context); }; });
}

const sim::Registration<CommandEntry> diff_command({.name = "diff", .add = add_diff});

}  // namespace

}  // namespace racksim::tools
