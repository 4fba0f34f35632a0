// See run_seeds.hpp.
#include "tools/commands/run_seeds.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <ostream>

#include "tools/commands/command_arguments.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/scenario/contradictions.hpp"
#include "tools/seeds/seed_report.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

/// More would take longer than anybody waits.
constexpr std::uint64_t kMostSeedsOfRun = 100'000;

/// "2%" as 0.02.
double parse_precision(const std::string& command, const std::string& text) {
  double per_cent = 0;
  const bool number = text.ends_with('%') && CLI::detail::lexical_cast(text.substr(0, text.size() - 1), per_cent);
  if (!number || !std::isfinite(per_cent) || per_cent <= 0 || per_cent > 100) {
    throw InputError(command, "--precision", quote(text), "a share above 0 and up to 100 %, such as \"2%\"");
  }
  return per_cent / 100;
}

SeedPlan seed_plan_of(const SeedArguments& arguments, const Scenario& scenario) {
  SeedPlan plan{.first = scenario.seed, .precision = arguments.precision, .jobs = arguments.jobs_or_cores()};
  plan.least = plan.most = arguments.seeds;
  if (plan.precision) {
    plan.least = std::max(arguments.seeds, kFewestForPrecision);
    plan.most = std::max<std::size_t>(arguments.most, plan.least);
  }
  check_seeds(plan.first, plan.most, {"racksim run", plan.precision ? "--precision" : "--seeds"});
  return plan;
}

}  // namespace

void add_seed_options(CLI::App& command, SeedArguments& arguments, const std::string& doc) {
  add_number(command, "--seeds", arguments.seeds, doc, {1, kMostSeedsOfRun});
  add_number(command, "--jobs", arguments.jobs, "With several seeds: runs at a time (default: one per core)",
             {1, 1024});
}

void add_precision_options(CLI::App& command, SeedArguments& arguments) {
  const std::string name = "racksim " + command.get_name();
  auto* precision = command.add_option_function<std::string>(
      "--precision", [name, &arguments](const std::string& text) { arguments.precision = parse_precision(name, text); },
      "Add seeds, from 5 on, until throughput and mean latency are known within this share, say 2%");
  precision->type_name("SHARE");
  add_number(command, "--most-seeds", arguments.most, "With --precision: no more seeds than this (default: 100)",
             {kFewestForPrecision, kMostSeedsOfRun})
      ->needs(precision);
}

void check_seed_options(const SeedArguments& arguments, const std::string& command) {
  if (!arguments.jobs || arguments.wanted()) return;
  throw InputError(command, "--jobs", "one run", "--jobs beside --seeds: several runs");
}

int status_of(const std::vector<SeedRun>& runs) {
  for (const SeedRun& run : runs) {
    if (!run.ended()) return exit_internal_error;
  }
  return all_pass(runs) ? exit_ok : exit_failed;
}

int run_with_seeds(const std::string& file, std::optional<std::uint64_t> seed,
                   const std::vector<std::string>& overrides, const SeedArguments& arguments, bool json, bool quiet,
                   bool verbose, CommandContext& context) {
  std::vector<std::string> with_seed = overrides;
  if (seed) with_seed.push_back(fmt::format("seed={}", *seed));
  const Scenario scenario = load_scenario(find_scenario_file(file), context.catalogue, with_seed);
  const SeedPlan plan = seed_plan_of(arguments, scenario);
  check_experiment(scenario);  // a mistake is told once, and before a run
  if (!quiet) {
    for (const auto& found : contradictions(scenario)) context.err << "racksim run: " << found << std::endl;
    const auto needs = needs_text(machine_needs(scenario), available_memory());
    if (!needs.empty()) context.err << "racksim run: " << needs << std::endl;
  }
  std::vector<SeedRun> runs;
  {
    ProgressLine line(context.err, !quiet, std::chrono::seconds(2));
    runs = run_seeds(scenario, plan, [&](std::size_t done) {
      line.show([&](double wall) {
        return plan.precision ? fmt::format("{} runs, at most {}, {:.0f} s", done, plan.most, wall)
                              : fmt::format("{} of {} runs, {:.0f} s", done, plan.most, wall);
      });
    });
  }
  const SeedCommand command = [&](std::uint64_t one) {
    return racksim_command("run", file, {"--seed", std::to_string(one)}, overrides);
  };
  if (json) {
    context.out << to_json(seeds_json(scenario, plan, runs, command));
  } else if (!quiet) {
    context.out << seeds_text(scenario, plan, runs, command, verbose);
  }
  return status_of(runs);
}

}  // namespace racksim::tools
