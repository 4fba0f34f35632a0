// See run_knee.hpp.
#include "tools/commands/run_knee.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ostream>

#include "tools/commands/command_arguments.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/knee/knee_runs.hpp"
#include "tools/knee/knee_seeds.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/scenario/overrides.hpp"

namespace racksim::tools {
namespace {

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
  if (json) {
    context.out << to_json(knees_json(scenario, plan, knees));
  } else if (!quiet) {
    context.out << knees_text(scenario, plan, knees);
  }
  int status = exit_ok;
  for (const KneeOfSeed& knee : knees) {
    if (knee.problem.empty()) continue;
    context.err << fmt::format("racksim run: seed {}: {}\n", knee.seed, knee.problem);
    status = exit_failed;
  }
  return status;
}

}  // namespace

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
  if (text) {
    context.out << fmt::format("knee of {} in {}, at most {:.4g} % lost, to within {:.3g} %\n", scenario.name,
                               plan.load, criterion.loss * 100, plan.bounds.tolerance * 100);
  }
  JsonValue tried = JsonValue::array();
  Probes quiet_probes = probes_of(plan, scenario_at);
  Probes probes([&](std::uint64_t load) {
    const Probe& probe = quiet_probes.at(load);
    tried.push(probe_json(load, probe));
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
