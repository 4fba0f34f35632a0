// Finding, running and judging a suite. See suite.hpp.
#include "tools/suite/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tools/diff/run_difference.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/files/data_files.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/report/run_folder.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/shell.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

/// How often the progress is told while nothing ends.
constexpr std::chrono::milliseconds kPatience{200};

/// Differences that a row prints; `racksim diff` shows all.
constexpr std::size_t kMostDifferences = 5;

/// The path itself, or the one that comes with the program.
fs::path find_path(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error)) return path;
  const auto shipped = scenarios_folder();
  if (!shipped.empty() && fs::path(path).is_relative()) {
    for (const auto& candidate : {shipped / path, shipped.parent_path() / path}) {
      if (fs::exists(candidate, error)) return candidate;
    }
  }
  try {
    return find_scenario_file(path);  // the case of a suite file
  } catch (const InputError&) {
    JsonLocation{path, ""}.refuse("no such file or folder", "a folder of scenarios");
  }
}

bool holds_other_files(const std::string& folder) {
  return folder == kBaselineFolder || folder == "testbeds" || folder == "parts" || folder == "figures" ||
         folder == "schema";
}

/// A file in its folder, however that is reached. A link to a file has a name and a baseline of its own.
fs::path place_of(const fs::path& file) {
  std::error_code error;
  return fs::weakly_canonical(file.has_parent_path() ? file.parent_path() : fs::path("."), error) / file.filename();
}

/// What has been found, so that each folder is walked and each scenario run once, by whatever way it is reached.
struct Found {
  SuiteFiles files;
  std::size_t reached = 0;  ///< scenarios, each as often as it is
  std::set<fs::path> seen;

  bool is_new_folder(const fs::path& folder) {
    std::error_code error;
    return seen.insert(fs::weakly_canonical(folder, error)).second;
  }
  void add(const std::string& argument, const std::string& name, const fs::path& file) {
    ++reached;
    if (seen.insert(place_of(file)).second) files.scenarios.push_back({argument, name, file.string()});
  }
};

/// Adds the scenario of a file, or each of its cases.
void add_file(const fs::path& file, const std::string& argument, const std::string& name, Found& found) {
  std::vector<std::string> cases;
  try {
    cases = case_names(read_json_file(file.string()));
  } catch (const InputError&) {  // told when the scenario is loaded
  }
  if (cases.empty()) found.add(argument, name, file);
  for (const auto& each : cases) found.add(argument, fmt::format("{}/{}", name, each), file / each);
}

/// Adds what is below `folder`; `prefix` is its path within the argument.
void search(const fs::path& folder, const std::string& argument, const std::string& prefix, Found& found) {
  std::vector<fs::path> inside;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    check_printable(entry->path().string(), {folder.string(), ""});
    inside.push_back(entry->path());
  }
  if (is_exhaustion(error.value())) throw SystemError(fmt::format("{}: {}", folder.string(), error.message()));
  if (error) JsonLocation{folder.string(), ""}.refuse(error.message(), "a folder that can be read");
  std::sort(inside.begin(), inside.end(), [](const auto& a, const auto& b) { return a.stem() < b.stem(); });
  for (const auto& path : inside) {
    const std::string name = path.filename().string();
    if (fs::is_directory(path, error)) {
      const bool is_suite = !holds_other_files(name) && !name.starts_with('.');
      if (is_suite && found.is_new_folder(path)) search(path, argument, prefix + name + "/", found);
    } else if (path.extension() == ".json") {
      add_file(path, argument, prefix + path.stem().string(), found);
    }
  }
  std::set<fs::path> wanted;
  for (const auto& entry : found.files.scenarios) wanted.insert(place_of(baseline_file(entry.file)));
  for (const auto& name : json_names_below(folder / kBaselineFolder)) {
    const auto file = folder / kBaselineFolder / (name + ".json");
    if (!wanted.contains(place_of(file))) found.files.stale_baselines.push_back(file.string());
  }
}

std::string text_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

/// The report without what names, configures or times the execution.
JsonValue mode_independent(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics) {
  JsonValue report = stored_run(scenario, result, metrics).report;
  for (const char* own : {"config", "events", "wall_s", "wall"}) report.erase(own);
  return report;
}

/// One piece of work of a suite: a scenario in its own mode, or in another.
struct Job {
  std::size_t scenario = 0;
  std::optional<ExecutionMode> mode;
};

std::string run_job(const SuiteScenario& scenario, const Job& job) {
  return job.mode ? run_in_mode(scenario.scenario, *job.mode) : run_for_suite(scenario.scenario);
}

}  // namespace

SuiteFiles find_suite(const std::vector<std::string>& paths) {
  Found found;
  for (const auto& path : paths) {
    const auto place = find_path(path);
    const auto before = found.reached;
    std::error_code circle;  // of links: reading it tells
    if (fs::is_directory(place, circle)) {
      if (!found.is_new_folder(place)) continue;
      search(place, path, "", found);
      if (found.reached == before) JsonLocation{path, ""}.refuse("no scenario below it", "a folder of scenarios");
    } else if (const auto [file, name] = split_case(place.string()); !name.empty()) {
      found.add(folder_of(file).string(), fs::path(file).stem().string() + "/" + name, place);
    } else {
      add_file(place, place.parent_path().string(), place.stem().string(), found);
    }
  }
  return std::move(found.files);
}

SuiteScenario load_suite_scenario(const SuiteEntry& entry, const Catalogue& catalogue) {
  SuiteScenario result{entry, load_scenario(entry.file, catalogue), load_baseline(baseline_file(entry.file).string())};
  result.scenario.observe.write_no_files();  // runs at the same time would write over each other's
  const auto& expect = result.scenario.expect;
  if (!expect.metrics.empty() || !expect.baseline.tolerances.empty()) check_experiment(result.scenario);
  return result;
}

std::vector<std::string> ExecutionMode::overrides() const {
  if (execution == Execution::stepped) return {"run.execution=stepped"};
  if (execution == Execution::interpreted) return {"run.execution=interpreted"};
  return {"run.execution=fused", idle_passes == IdlePasses::skip ? "run.idle_passes=skip" : "run.idle_passes=run"};
}

std::vector<ExecutionMode> other_modes(const Scenario& scenario) {
  const bool fused = scenario.run.execution == Execution::fused;
  const ExecutionMode own{scenario.run.execution, fused ? scenario.run.idle_passes : IdlePasses::skip};
  std::vector<ExecutionMode> modes{{Execution::fused, IdlePasses::skip},
                                   {Execution::fused, IdlePasses::run},
                                   {Execution::stepped, IdlePasses::skip},
                                   {Execution::interpreted, IdlePasses::skip}};
  std::erase(modes, own);
  return modes;
}

std::string run_in_mode(Scenario scenario, const ExecutionMode& mode) {
  scenario.run.execution = mode.execution;
  scenario.run.idle_passes = mode.idle_passes;
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  return to_canonical_json(mode_independent(scenario, result, metrics));
}

void judge_mode(const std::string& file, const ExecutionMode& mode, const ChildResult& child, SuiteResult& result) {
  ++result.modes;
  const std::string name = fmt::format("{}", fmt::join(mode.overrides(), ", "));
  if (!child.answered()) {
    result.failures.push_back(fmt::format("with {}: {}", name, child.text));
    return;
  }
  if (child.text == result.report) return;
  const JsonValue own = parse_json(result.report, "own mode"), other = parse_json(child.text, "other mode");
  const auto differences = value_differences(own, other);
  for (std::size_t i = 0; i < std::min(differences.size(), kMostDifferences); ++i) {
    const auto& [what, mine, others] = differences[i];
    result.failures.push_back(
        fmt::format("with {}: {} is {}, not {}", name, what, others.value_or("missing"), mine.value_or("missing")));
  }
  std::vector<std::string> arguments{file};
  for (const auto& change : mode.overrides()) arguments.insert(arguments.end(), {"--set-b", change});
  result.failures.push_back(
      fmt::format("{} in all; see {}", differences.size(), racksim_command("diff", file, arguments)));
}

std::string run_for_suite(const Scenario& scenario) {
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  auto failures = JsonValue::array();
  // Violations explain a verdict that nobody expected; where they are expected they are no failure.
  if (!result.pass && scenario.expect.pass.value_or(true)) {
    for (const auto& violation : result.violations) {
      failures.push(fmt::format("{} at {:.3f} ns: {}", violation.oracle, violation.at.ns(), violation.what));
    }
  }
  for (const auto& failed : result.failed_expectations) failures.push(failed);
  auto values = JsonValue::object();
  for (const auto& metric : baseline_metrics(scenario)) {
    if (const auto value = metric_value(metrics, metric)) values.set(metric, *value);
  }
  auto answer = JsonValue::object({{"failures", std::move(failures)},
                                   {"run_hash", result.hash.hex()},
                                   {"metrics", std::move(values)},
                                   {"report", mode_independent(scenario, result, metrics)}});
  return to_canonical_json(answer);
}

SuiteResult judge(const Scenario& scenario, const std::optional<Baseline>& stored, const ChildResult& child) {
  SuiteResult result;
  if (!child.answered()) {
    result.failures.push_back(child.text);
    return result;
  }
  result.ended = true;
  const JsonValue answer = parse_json(child.text, "result of a scenario");
  for (const auto& failure : *answer.find("failures")->elements()) result.failures.push_back(*failure.string());
  for (const auto& [metric, value] : *answer.find("metrics")->members()) result.now.metrics[metric] = *value.number();
  if (wants_exact_hash(scenario)) result.now.run_hash = text_member(answer, "run_hash");
  if (const auto* report = answer.find("report")) result.report = to_canonical_json(*report);
  if (result.run_passed()) result.baseline = compare(scenario, stored, result.now);
  return result;
}

std::vector<SuiteResult> run_suite(const std::vector<SuiteScenario>& scenarios, unsigned jobs,
                                   std::chrono::milliseconds limit, bool all_modes, const SuiteProgress& progress) {
  using Clock = std::chrono::steady_clock;
  std::vector<SuiteResult> results(scenarios.size());
  std::vector<Job> work;
  for (std::size_t i = 0; i < scenarios.size(); ++i) work.push_back({i, std::nullopt});
  std::vector<Clock::time_point> begun;
  ChildProcesses children(jobs, limit);
  std::size_t done = 0;
  std::vector<std::size_t> open(scenarios.size(), 1);         // runs of each that have not ended
  for (SuiteResult& result : results) result.skipped = true;  // until all of them have
  while (done < work.size() && !interrupted()) {
    while (begun.size() < work.size() && children.has_room()) {
      const Job job = work[begun.size()];
      const bool begins = children.start(begun.size(), [&, job] { return run_job(scenarios[job.scenario], job); });
      if (begins) begun.push_back(Clock::now());
    }
    if (progress) progress(done, work.size());
    if (const auto ended = children.wait(kPatience)) {
      const Job job = work[ended->id];
      const auto& [entry, scenario, stored] = scenarios[job.scenario];
      SuiteResult& result = results[job.scenario];
      if (job.mode) {
        judge_mode(entry.file, *job.mode, *ended, result);
      } else {
        result = judge(scenario, stored, *ended);
        for (const ExecutionMode& mode : other_modes(scenario)) {
          if (!all_modes || !result.ended) continue;
          work.push_back({job.scenario, mode});
          ++open[job.scenario];
        }
      }
      result.skipped = --open[job.scenario] > 0;
      result.seconds += std::chrono::duration<double>(Clock::now() - begun[ended->id]).count();
      ++done;
    }
  }
  return results;
}

}  // namespace racksim::tools
