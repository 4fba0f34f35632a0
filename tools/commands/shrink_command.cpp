// racksim shrink FILE: reduces a failing scenario to a local minimum that still fails in the same way.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <thread>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/fuzz/shrink.hpp"
#include "tools/fuzz/trial.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

struct ShrinkOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> overrides;
  std::uint64_t runs = 2000;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string run_limit = "30s";
  std::string out;
};

/// What a shrunk scenario is kept as, in the current folder: named as the file, and as the case if it is one.
std::string default_output(const std::string& path) {
  const auto [file, name] = split_case(path);
  const std::string stem = std::filesystem::path(file).stem().string();
  return name.empty() ? stem + "-shrunk.json" : stem + "-" + name + "-shrunk.json";
}

int run(const ShrinkOptions& options, CommandContext& context) {
  const Composition composition(find_scenario_file(options.file));
  const std::string& file = composition.path();
  JsonValue document = composition.document();
  std::vector<std::string> overrides = options.overrides;
  if (options.seed) overrides.push_back(fmt::format("seed={}", *options.seed));
  // Speaks of the file if something is wrong.
  composition.read([&](const JsonValue& read, const std::string& name) {
    return read_scenario(read, name, context.catalogue, overrides);
  });
  for (const auto& text : overrides) apply_override(document, parse_override(text));
  pin_files(document, file);
  const JsonValue judged = document;
  for (const char* key : {"$schema", "doc", "expect", "observe", "fuzz"}) document.erase(key);

  const std::string out = options.out.empty() ? default_output(file) : options.out;
  check_output(out, "racksim shrink", "--out");
  ShrinkPlan plan;
  plan.limits = {options.jobs, wall_clock_limit("racksim shrink", "--run-limit", options.run_limit)};
  plan.runs = options.runs;
  plan.noise_runner = scenario_runner(context.catalogue, TrialDetail::noise);
  const ScenarioRunner runner = scenario_runner(context.catalogue, TrialDetail::none);
  const TrialResult failure = try_once(plan.limits, [&] { return runner(document); });
  stop_if_interrupted([] { return "the scenario's own run had not ended"; });
  if (failure.verdict == TrialResult::Verdict::refused)
    throw InputError(file, "/", failure.what, "a scenario that runs");
  if (!failure.failed()) {
    const ScenarioRunner judge = scenario_runner(context.catalogue, {TrialDetail::none, true});
    const TrialResult verdict = try_once(plan.limits, [&] { return judge(judged); });
    if (!verdict.failed()) throw InputError(file, "/", "a scenario that passes", "one that fails");
    throw InputError(file, "/expect", "a run that fails by what it expects alone: " + verdict.what,
                     "one in which an oracle finds a violation: what is expected of a run is nothing to expect of a "
                     "smaller one");
  }

  ShrinkResult shrunk;
  {
    ProgressLine line(context.err, true);
    shrunk = shrink(document, failure, context.catalogue, runner, plan,
                    [&](const ShrinkResult& so_far) { line.show([&](double) { return shrinking_line(so_far); }); });
  }
  const std::string text = to_json(shrunk_scenario(shrunk, "shrunk from " + options.file));
  try {
    write_file(out, text, "racksim shrink", "--out");
  } catch (const std::exception&) {
    context.out << text << std::flush;  // it took long to find
    throw;
  }
  context.out << shrink_text(shrunk, out);
  return shrunk.interrupted ? exit_interrupted : exit_ok;
}

void add_shrink(CommandContext& context) {
  auto* command = context.app.add_subcommand("shrink", "Reduce a failing scenario as far as it still fails");
  const auto options = std::make_shared<ShrinkOptions>();
  add_scenario(*command, "FILE", options->file, "Scenario file of which a run fails");
  add_number(*command, "--seed", options->seed, "Replace the scenario's seed");
  command->add_option("--set", options->overrides, "Replace a value: path=value")->expected(1)->take_all();
  add_number(*command, "--runs", options->runs, "At most so many runs (default 2000)", {1});
  add_number(*command, "--jobs", options->jobs, "Processes at a time (default: one per processor)", {1, 1024});
  command->add_option("--run-limit", options->run_limit, "Real time after which a run counts as hung (default 30s)");
  command->add_option("--out", options->out, "File to write (default NAME-shrunk.json)");
  command->callback([&context, options] { context.action = [&context, options] { return run(*options, context); }; });
}

const sim::Registration<CommandEntry> shrink_command({.name = "shrink", .add = add_shrink});

}  // namespace

}  // namespace racksim::tools
