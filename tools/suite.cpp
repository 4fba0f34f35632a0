// Finding, running and judging a suite. See suite.hpp.
#include "tools/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/data_files.hpp"
#include "tools/experiment.hpp"
#include "tools/interruption.hpp"
#include "tools/nearest_name.hpp"
#include "tools/run_metrics.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

/// How often the progress is told while nothing ends.
constexpr std::chrono::milliseconds kPatience{200};

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
  Place{path, ""}.refuse("no such file or folder", "a folder of scenarios");
}

bool holds_other_files(const std::string& folder) {
  return folder == kBaselineFolder || folder == "testbeds" || folder == "figures" || folder == "schema";
}

/// Adds what is below `folder`; `prefix` is its path within the argument.
void search(const fs::path& folder, const std::string& argument, const std::string& prefix, SuiteFiles& files) {
  std::vector<fs::path> inside;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    inside.push_back(entry->path());
  }
  if (error) Place{folder.string(), ""}.refuse(error.message(), "a folder that can be read");
  std::sort(inside.begin(), inside.end(), [](const auto& a, const auto& b) { return a.stem() < b.stem(); });
  for (const auto& path : inside) {
    const std::string name = path.filename().string();
    if (fs::is_directory(path, error)) {
      if (!holds_other_files(name) && !name.starts_with('.')) search(path, argument, prefix + name + "/", files);
    } else if (path.extension() == ".json") {
      files.scenarios.push_back({argument, prefix + path.stem().string(), path.string()});
    }
  }
  for (const auto& name : json_names_below(folder / kBaselineFolder)) {
    if (!fs::exists(folder / (name + ".json"), error)) {
      files.stale_baselines.push_back((folder / kBaselineFolder / (name + ".json")).string());
    }
  }
}

std::string text_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

}  // namespace

SuiteFiles find_suite(const std::vector<std::string>& paths) {
  SuiteFiles files;
  for (const auto& path : paths) {
    const auto found = find_path(path);
    const auto before = files.scenarios.size();
    if (fs::is_directory(found)) {
      search(found, path, "", files);
      if (files.scenarios.size() == before) Place{path, ""}.refuse("no scenario below it", "a folder of scenarios");
    } else {
      files.scenarios.push_back({found.parent_path().string(), found.stem().string(), found.string()});
    }
  }
  return files;
}

SuiteScenario load_suite_scenario(const SuiteEntry& entry, const Catalogue& catalogue) {
  SuiteScenario result{entry, load_scenario(entry.file, catalogue), load_baseline(baseline_file(entry.file).string())};
  result.scenario.observe.trace.clear();  // runs at the same time would write over each other's
  return result;
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
    if (const auto value = metric_value(result, metrics, metric)) values.set(metric, *value);
  }
  auto answer = JsonValue::object();
  answer.set("failures", std::move(failures));
  answer.set("run_hash", result.hash.hex());
  answer.set("metrics", std::move(values));
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
  if (result.run_passed()) result.baseline = compare(scenario, stored, result.now);
  return result;
}

std::vector<SuiteResult> run_suite(const std::vector<SuiteScenario>& scenarios, unsigned jobs,
                                   std::chrono::milliseconds limit, const SuiteProgress& progress) {
  using Clock = std::chrono::steady_clock;
  std::vector<SuiteResult> results(scenarios.size());
  std::vector<Clock::time_point> begun(scenarios.size());
  ChildProcesses children(jobs, limit);
  std::size_t next = 0, done = 0;
  for (SuiteResult& result : results) result.skipped = true;  // until it has ended
  while (done < results.size() && !interrupted()) {
    while (next < results.size() && children.has_room()) {
      begun[next] = Clock::now();
      children.start(next, [&scenario = scenarios[next].scenario] { return run_for_suite(scenario); });
      ++next;
    }
    if (progress) progress(done, results.size());
    if (const auto ended = children.wait(kPatience)) {
      results[ended->id] = judge(scenarios[ended->id].scenario, scenarios[ended->id].stored, *ended);
      results[ended->id].seconds = std::chrono::duration<double>(Clock::now() - begun[ended->id]).count();
      ++done;
    }
  }
  return results;
}

}  // namespace racksim::tools
