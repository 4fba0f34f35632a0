// racksim test DIR...: runs regression suites against their stored baselines, or renews the baselines.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <thread>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/experiment/metric_change.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/suite/suite_report.hpp"
#include "tools/suite/suite_seeds.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kCommand = "racksim test";

struct TestOptions {
  std::vector<std::string> paths;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  unsigned limit = 300;
  unsigned seeds = 1;
  std::string junit;
  bool modes = false;
  bool bless = false;
  bool json = false;
  bool quiet = false;
};

using Clock = std::chrono::steady_clock;

/// Reads all scenarios; every mistake is a line. Empty if there was one.
std::vector<SuiteScenario> load_all(const SuiteFiles& files, CommandContext& context) {
  std::vector<SuiteScenario> scenarios;
  for (const auto& entry : files.scenarios) {
    try {
      scenarios.push_back(load_suite_scenario(entry, context.catalogue));
    } catch (const InputError& error) {
      context.err << error.what() << '\n';
    }
  }
  if (scenarios.size() != files.scenarios.size()) scenarios.clear();
  return scenarios;
}

/// "throughput_mops 1.5 -> 1.6 (+6.7 %)" for each value that a new baseline changes.
std::string renewal_text(const Baseline& stored, const Baseline& now) {
  std::vector<std::string> parts;
  for (const auto& [metric, value] : now.metrics) {
    const auto before = stored.metrics.find(metric);
    if (before == stored.metrics.end()) {
      parts.push_back(fmt::format("{} {} (new)", metric, value));
    } else if (before->second != value) {
      parts.push_back(
          fmt::format("{} {} -> {} ({})", metric, before->second, value, change_text(before->second, value)));
    }
  }
  for (const auto& [metric, value] : stored.metrics) {
    if (!now.metrics.contains(metric)) parts.push_back(metric + " no longer stored");
  }
  if (stored.run_hash != now.run_hash) {
    const char* what = now.run_hash.empty()      ? "run hash no longer stored"
                       : stored.run_hash.empty() ? "run hash (new)"
                                                 : "another run hash";
    parts.insert(parts.begin(), what);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Whether baselines can be written where they belong.
void check_baselines(const std::vector<SuiteScenario>& scenarios) {
  for (const auto& suite_scenario : scenarios) {
    if (baseline_metrics(suite_scenario.scenario).empty()) continue;
    check_output(baseline_file(suite_scenario.entry.file), kCommand, "--bless");
  }
}

/// Stores what passed as the new baselines and removes those without a scenario; one line for each change.
void renew(std::vector<SuiteScenario>& scenarios, std::vector<SuiteResult>& results, const SuiteFiles& files,
           std::ostream& out) {
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    auto& [entry, scenario, stored] = scenarios[i];
    const auto file = baseline_file(entry.file);
    if (!results[i].run_passed()) {
      out << fmt::format("not renewed: {}, which fails\n", entry.name);
      continue;
    }
    if (baseline_metrics(scenario).empty()) {
      if (stored) {
        std::filesystem::remove(file);
        out << fmt::format("removed: {}, which asks for no baseline\n", file.string());
      }
      continue;
    }
    if (stored != results[i].now) {
      write_file(file, to_json(with_schema(baseline_json(results[i].now), "baseline", file)), kCommand, "--bless");
      out << fmt::format("{}: {}: {}\n", stored ? "renewed" : "new", entry.name,
                         renewal_text(stored.value_or(Baseline{}), results[i].now));
    }
    stored = results[i].now;
    results[i].baseline = compare(scenario, stored, results[i].now);
  }
  for (const auto& file : files.stale_baselines) {
    std::filesystem::remove(file);
    out << fmt::format("removed: {}, whose scenario is gone\n", file);
  }
}

int run_tests(const TestOptions& options, CommandContext& context) {
  const auto begin = Clock::now();
  const SuiteFiles files = find_suite(options.paths);
  auto scenarios = load_all(files, context);
  if (scenarios.empty()) return exit_bad_input;
  // So that a mistake shows before minutes are spent.
  if (!options.junit.empty()) check_output(options.junit, kCommand, "--junit");
  if (options.bless) check_baselines(scenarios);

  std::vector<SuiteResult> results;
  {
    ProgressLine line(context.err, !options.quiet);
    results = run_suite(scenarios, options.jobs, std::chrono::seconds(options.limit), options.modes,
                        [&](std::size_t done, std::size_t all) {
                          line.show([&](double wall) {
                            return fmt::format("{} of {} {}{}, {:.0f} s", done, all,
                                               options.modes ? "runs" : "scenarios", time_left(wall, done, all), wall);
                          });
                        });
    if (options.seeds > 1) {
      run_other_seeds(scenarios, results, options.seeds, options.jobs, std::chrono::seconds(options.limit),
                      [&](std::size_t done, std::size_t all) {
                        line.show([&](double) { return fmt::format("{} of {} runs with other seeds", done, all); });
                      });
    }
  }
  const bool stopped = std::any_of(results.begin(), results.end(), [](const auto& result) { return result.skipped; });
  const auto tell = [&] {
    const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    if (options.json) {
      context.out << to_json(suite_json(scenarios, results, wall));
    } else if (!options.quiet) {
      context.out << suite_text(scenarios, results, wall);
    }
    context.out.flush();
  };
  try {
    if (options.bless && !stopped) renew(scenarios, results, files, options.json ? context.err : context.out);
  } catch (const std::exception&) {
    tell();  // what was found is not lost with a baseline that cannot be written
    throw;
  }
  tell();
  if (!options.junit.empty()) write_file(options.junit, suite_junit(scenarios, results), kCommand, "--junit");
  if (stopped && options.bless) context.err << "racksim: interrupted: no baseline was renewed\n";
  if (stopped) return exit_interrupted;
  if (!options.bless) {
    for (const auto& file : files.stale_baselines) {
      context.err << fmt::format("{}: a baseline whose scenario is gone: remove it, or run with --bless\n", file);
    }
  }
  const bool all = std::all_of(results.begin(), results.end(), [](const auto& result) { return result.passed(); });
  return all ? exit_ok : exit_failed;
}

void add_test(CommandContext& context) {
  auto* command = context.app.add_subcommand("test", "Run folders of scenarios and compare with stored baselines");
  const auto options = std::make_shared<TestOptions>();
  command->add_option("DIR", options->paths, "Folders of scenarios, searched to any depth, or single files")
      ->required();
  add_number(*command, "--jobs", options->jobs, "Runs at a time (default: one per core)", {1, 1024});
  add_number(*command, "--limit", options->limit, "Seconds of real time that one run may take (default: 300)",
             {1, 86400});
  add_number(*command, "--seeds", options->seeds,
             "Run what expects a violation with so many seeds; nine of ten must show it (default: 1)", {1, 1000});
  command->add_option("--junit", options->junit, "Write the results as JUnit XML to this file");
  command->add_flag("--modes", options->modes,
                    "Run each scenario in the other execution modes too (run.execution, run.idle_passes), and compare");
  command->add_flag("--bless", options->bless, "Store the values of runs that pass as the new baselines");
  command->add_flag("--json", options->json, "Print the results as JSON, alone on standard output");
  command->add_flag("--quiet", options->quiet, "Print nothing but errors: the exit status tells the verdict");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run_tests(*options, context); }; });
}

const sim::Registration<CommandEntry> test_command({.name = "test", .add = add_test});

}  // namespace

}  // namespace racksim::tools
