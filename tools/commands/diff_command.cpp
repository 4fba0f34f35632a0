// racksim diff RUN_A RUN_B: where two runs part, and what it does to their metrics.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/diff/comparison.hpp"

namespace racksim::tools {
namespace {

struct DiffOptions {
  ComparedRun a, b;
  bool all = false;
  bool json = false;
};

int diff(const DiffOptions& options, CommandContext& context) {
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
  command->add_flag("--all", options->all, "Show all metrics, not only those that differ");
  command->add_flag("--json", options->json, "Print the comparison as JSON, alone on standard output");
  command->callback([&context, options] { context.action = [&context, options] { return diff(*options, context); }; });
}

const sim::Registration<CommandEntry> diff_command({.name = "diff", .add = add_diff});

}  // namespace

}  // namespace racksim::tools
