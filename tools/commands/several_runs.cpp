// See several_runs.hpp.
#include "tools/commands/several_runs.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>

#include "tools/commands/command_arguments.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/knee/knee_runs.hpp"
#include "tools/knee/knee_seeds.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/report/run_folder.hpp"
#include "tools/scenario/contradictions.hpp"
#include "tools/scenario/overrides.hpp"
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

/// Says of what is wrong which option is.
JsonLocation option(const char* name) {
  return {"racksim run", std::string("--") + name};
}

/// A real number, said to be wrong as other options are.
void add_share(CLI::App& command, const std::string& name, double& target, const std::string& doc) {
  const auto take = [name, &target](const std::string& text) {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value) || !std::isfinite(value)) {
      throw InputError("racksim run", name, quote(text), "a number");
    }
    target = value;
  };
  command.add_option_function<std::string>(name, take, doc)->type_name("NUMBER");
}

KneePlan plan_of(const KneeArguments& arguments, const Scenario& scenario) {
  KneePlan plan;
  plan.load = arguments.load;
  plan.probe = arguments.probe;
  plan.criteria.push_back({"loss", arguments.loss, "", ""});
  plan.bounds.tolerance = arguments.tolerance;
  check_knee_of(scenario, plan, option("knee"));
  const auto said = static_cast<std::uint64_t>(*value_at_path(configuration(scenario), plan.load)->number());
  plan.bounds.from = arguments.from.value_or(std::max<std::uint64_t>(said / 10, 1));
  plan.bounds.to = arguments.to.value_or(said * 10);
  check_knee_plan(plan, [](const char* named) { return option(named == std::string("criteria") ? "loss" : named); });
  return plan;
}

JsonValue probe_json(std::uint64_t load, const Probe& probe) {
  return JsonValue::object({{"load", load}, {"loss", probe.loss}, {"throughput_mops", probe.throughput_mops}});
}

/// A knee for each seed.
int knees_of_seeds(const Scenario& scenario, const KneePlan& plan, const ScenarioAt& scenario_at,
                   const SeedArguments& seeds, bool json, bool quiet, CommandContext& context) {
  check_seeds(scenario.seed, seeds.seeds, option("seeds"));
  std::vector<KneeOfSeed> knees;
  {
    ProgressLine line(context.err, !quiet, std::chrono::seconds(2));
    knees = find_knees(
        plan, scenario_at, {.first = scenario.seed, .count = seeds.seeds, .jobs = seeds.jobs_or_cores()},
        [&](std::size_t done) {
          line.show([&](double wall) { return fmt::format("{} of {} knees, {:.0f} s", done, seeds.seeds, wall); });
        });
  }
  if (knees.empty()) {
    stop_if_interrupted([] { return "no knee was found yet"; });
  } else if (json) {
    context.out << to_json(knees_json(scenario, plan, knees));
  } else if (!quiet) {
    context.out << knees_text(scenario, plan, knees);
  }
  stop_if_interrupted([&] { return of_those_that_ended(knees.size(), "searches"); });
  int status = exit_ok;
  for (const KneeOfSeed& knee : knees) {
    if (knee.problem.empty()) continue;
    context.err << fmt::format("racksim run: seed {}: {}\n", knee.seed, knee.problem);
    status = exit_failed;
  }
  return status;
}

}  // namespace

std::string of_those_that_ended(std::size_t count, const char* what) {
  return fmt::format("what is told is of the first {} {}, which had ended", count, what);
}

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

namespace {

SeedKeeping kept_in(const std::string& out, const SeedCommand& command) {
  const auto folder_of = [out](const Scenario& one) {
    return (std::filesystem::path(out) / fmt::format("seed-{}", one.seed)).string();
  };
  SeedKeeping keeping;
  keeping.begin = [folder_of](const Scenario& one) {
    check_run_folder(folder_of(one), one, "racksim run", "--out");
    return folder_of(one);
  };
  keeping.end = [folder_of, command](const Scenario& one, const RunResult& result, const sim::Metrics& metrics) {
    const RunOrigin origin{command(one.seed), inputs_json(one.files)};
    write_run_folder(folder_of(one), stored_run(one, result, metrics, &origin), "racksim run", "--out");
  };
  return keeping;
}

bool writes_files(Observation observe) {
  const auto files = observe.files();
  return std::any_of(files.begin(), files.end(), [](const auto& one) { return !one.second->empty(); });
}

}  // namespace

int run_with_seeds(const std::string& file, std::optional<std::uint64_t> seed,
                   const std::vector<std::string>& overrides, const SeedArguments& arguments, const std::string& out,
                   bool json, bool quiet, bool verbose, CommandContext& context) {
  std::vector<std::string> with_seed = overrides;
  if (seed) with_seed.push_back(fmt::format("seed={}", *seed));
  const Scenario scenario = load_scenario(find_scenario_file(file), context.catalogue, with_seed);
  const SeedPlan plan = seed_plan_of(arguments, scenario);
  check_experiment(scenario);  // a mistake is told once, and before a run
  const SeedCommand command = [&](std::uint64_t one) {
    return racksim_command("run", file, {"--seed", std::to_string(one)}, overrides);
  };
  const SeedKeeping keeping = out.empty() ? SeedKeeping{} : kept_in(out, command);
  if (keeping.begin) keeping.begin(scenario);  // a folder that cannot be is told before a run
  if (!quiet) {
    if (out.empty() && writes_files(scenario.observe)) {
      context.err << "racksim run: several runs write observed files with --out DIR alone" << std::endl;
    }
    for (const auto& found : contradictions(scenario)) context.err << "racksim run: " << found << std::endl;
    const auto needs = needs_text(machine_needs(scenario), available_memory());
    if (!needs.empty()) context.err << "racksim run: " << needs << std::endl;
  }
  std::vector<SeedRun> runs;
  {
    ProgressLine line(context.err, !quiet, std::chrono::seconds(2));
    runs = run_seeds(
        scenario, plan,
        [&](std::size_t done) {
          line.show([&](double wall) {
            return plan.precision ? fmt::format("{} runs, at most {}, {:.0f} s", done, plan.most, wall)
                                  : fmt::format("{} of {} runs, {:.0f} s", done, plan.most, wall);
          });
        },
        keeping);
  }
  if (runs.empty()) {
    stop_if_interrupted([] { return "no run had ended"; });
  } else if (json) {
    context.out << to_json(seeds_json(scenario, plan, runs, command));
  } else if (!quiet) {
    context.out << seeds_text(scenario, plan, runs, command, verbose);
  }
  stop_if_interrupted([&] { return of_those_that_ended(runs.size(), "runs"); });
  return status_of(runs);
}

void add_knee_options(CLI::App& command, KneeArguments& arguments) {
  auto* knee = command.add_flag("--knee", arguments.wanted,
                                "Look for the largest load of an open loop of which no more than a share is lost");
  add_share(command, "--loss", arguments.loss, "With --knee: the share that may be lost (default: 0.02)");
  add_share(command, "--tolerance", arguments.tolerance,
            "With --knee: how closely, as a share of the load (default: 0.01)");
  command.add_option("--load", arguments.load, "With --knee: path of the option that rises (default: workload.rate)");
  add_number(command, "--from", arguments.from, "With --knee: the least load (default: a tenth of the scenario's)");
  add_number(command, "--to", arguments.to, "With --knee: the greatest load (default: ten times the scenario's)");
  command.add_option("--probe", arguments.probe, "With --knee: replace a value in its runs, say run.measure=20ms")
      ->expected(1)
      ->take_all();
  for (const char* name : {"--loss", "--tolerance", "--load", "--from", "--to", "--probe"}) {
    command.get_option(name)->needs(knee);
  }
}

int run_knee(const std::string& file, const std::vector<std::string>& overrides, const KneeArguments& arguments,
             const SeedArguments& seeds, bool json, bool quiet, CommandContext& context) {
  const std::string found = find_scenario_file(file);
  const auto scenario_at = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = overrides;
    all.insert(all.end(), more.begin(), more.end());
    return load_scenario(found, context.catalogue, all);
  };
  const Scenario scenario = scenario_at({});
  const KneePlan plan = plan_of(arguments, scenario);
  const KneeCriterion& criterion = plan.criteria.front();
  scenario_at(plan.probe_overrides_at(plan.bounds.from));  // what is wrong with them is said before anything is printed
  if (seeds.wanted()) return knees_of_seeds(scenario, plan, scenario_at, seeds, json, quiet, context);
  const bool text = !json && !quiet;
  const std::size_t runs = loads_to_try(plan.bounds);
  if (text) {
    context.out << fmt::format("knee of {} in {}, at most {:.4g} % lost, to within {:.3g} %: about {} runs\n",
                               scenario.name, plan.load, criterion.loss * 100, plan.bounds.tolerance * 100, runs);
  }
  // The lines of the text are its progress.
  ProgressLine line(context.err, json && !quiet);
  JsonValue tried = JsonValue::array();
  Probes quiet_probes = probes_of(plan, scenario_at);
  Probes probes([&](std::uint64_t load) {
    const Probe& probe = quiet_probes.at(load);
    tried.push(probe_json(load, probe));
    const std::size_t done = quiet_probes.all().size();
    line.show([&](double wall) {
      return fmt::format("{} of about {} loads{}, {:.0f} s", done, runs, time_left(wall, done, runs), wall);
    });
    if (text) {
      context.out << fmt::format("  {:>12}/s  {:7.3f} % lost  {:8.3f} Mops\n", load, probe.loss * 100,
                                 probe.throughput_mops)
                  << std::flush;
    }
    return probe;
  });
  const Knee knee = find_knee(probes, plan.bounds, criterion.loss);
  if (json) {
    auto report =
        JsonValue::object({{"scenario", scenario.name},
                           {"load", plan.load},
                           {"loss", criterion.loss},
                           {"tolerance", plan.bounds.tolerance},
                           {"probes", std::move(tried)},
                           {"knee", knee.found() ? probe_json(*knee.passes, probes.at(*knee.passes)) : JsonValue()},
                           {"monotonic", knee.monotonic}});
    context.out << to_json(report);
  } else if (text && knee.found()) {
    const Probe& probe = probes.at(*knee.passes);
    context.out << fmt::format("knee  {}/s: {:.3f} % lost, {:.3f} Mops; at {}/s it is more\n", *knee.passes,
                               probe.loss * 100, probe.throughput_mops, *knee.fails);
    if (!knee.monotonic)
      context.out << "loss does not rise with the load: higher loads were seen to meet the criterion\n";
  }
  if (knee.found()) return exit_ok;
  context.err << "racksim run: no knee within the bounds: " << why_not_found(knee, probes, plan.bounds) << '\n';
  return exit_failed;
}

}  // namespace racksim::tools
