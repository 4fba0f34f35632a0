// Reading, writing and comparing of baselines.
#include "tools/experiment/baseline.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/experiment/metric_change.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/json_schema.hpp"

namespace racksim::tools {
namespace {

std::optional<double> value_in(const Baseline& baseline, const std::string& metric) {
  const auto found = baseline.metrics.find(metric);
  return found != baseline.metrics.end() ? std::optional(found->second) : std::nullopt;
}

std::string read_hash(const JsonValue& value, const JsonLocation& place) {
  const std::string expected = "32 lower-case hexadecimal digits";
  const auto& text = require_string(value, place, expected);
  const bool hex = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.size() != 32 || !hex) place.refuse(value.description(), expected);
  return text;
}

std::vector<std::string> names(const std::vector<Tolerance>& tolerances) {
  std::vector<std::string> result;
  for (const auto& tolerance : tolerances) result.push_back(tolerance.metric);
  return result;
}

void compare_metric(const Tolerance& tolerance, const Baseline& stored, const Baseline& now, BaselineVerdict& verdict) {
  Comparison row{tolerance.metric, value_in(stored, tolerance.metric), value_in(now, tolerance.metric),
                 tolerance.text(), false};
  if (!row.now) {
    verdict.failures.push_back(fmt::format("the run reports no metric {}", row.metric));
  } else if (!row.stored) {
    verdict.failures.push_back(fmt::format("no baseline of {} is stored: run with --bless", row.metric));
  } else if (tolerance.met(*row.stored, *row.now)) {
    row.met = true;
  } else {
    verdict.failures.push_back(fmt::format("{} is {}, baseline {}: {}, allowed {}", row.metric, *row.now, *row.stored,
                                           change_text(*row.stored, *row.now), row.allowed));
  }
  verdict.comparisons.push_back(std::move(row));
}

void compare_hash(const Scenario& scenario, const Baseline& stored, const Baseline& now, BaselineVerdict& verdict) {
  const bool same = stored.run_hash == now.run_hash;
  verdict.comparisons.push_back({"run hash", {}, {}, "exact", same});
  if (stored.run_hash.empty()) {
    verdict.failures.push_back("no baseline of the run hash is stored: run with --bless");
  } else if (!same) {
    verdict.failures.push_back(fmt::format("the run hash is {}, baseline {}", now.run_hash, stored.run_hash));
  }
  for (const auto& metric : baseline_metrics(scenario)) {
    verdict.comparisons.push_back({metric, value_in(stored, metric), value_in(now, metric), "", true});
  }
}

}  // namespace

std::filesystem::path baseline_file(const std::string& scenario_file) {
  const auto [file, name] = split_case(scenario_file);
  const auto folder = folder_of(file) / kBaselineFolder;
  const std::filesystem::path path(file);
  return name.empty() ? folder / path.filename() : folder / path.stem() / (name + ".json");
}

std::optional<Baseline> load_baseline(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  const auto document = read_json_file(file);
  const JsonLocation root{file, ""};
  std::string schema;
  sim::Parameters own;
  own.text("$schema", schema, "");
  bind(document, root, own, {{"run_hash", "metrics"}, nullptr});
  Baseline baseline;
  if (const auto* hash = document.find("run_hash")) baseline.run_hash = read_hash(*hash, root.member("run_hash"));
  if (const auto* metrics = document.find("metrics")) {
    const auto place = root.member("metrics");
    for (const auto& [metric, value] : require_object(*metrics, place)) {
      const auto number = value.number();
      if (!number) place.member(metric).refuse(value.description(), "a number");
      baseline.metrics[metric] = *number;
    }
  }
  return baseline;
}

JsonValue baseline_json(const Baseline& baseline) {
  auto value = JsonValue::object();
  if (!baseline.run_hash.empty()) value.set("run_hash", baseline.run_hash);
  auto& metrics = value.set("metrics", JsonValue::object());
  for (const auto& [metric, number] : baseline.metrics) metrics.set(metric, number);
  return value;
}

JsonValue baseline_schema() {
  auto schema = empty_object_schema();
  properties_of(schema).set("run_hash", pattern_schema("^[0-9a-f]{32}$", "Where the scenario asks for \"exact\"."));
  properties_of(schema).set("metrics", map_schema(type_schema("number"), "By their names in the report."));
  return file_schema("racksim baseline", "What racksim test --bless stored of a scenario's run.", std::move(schema));
}

std::vector<Tolerance> tolerances_of(const Scenario& scenario) {
  using Comparison = ExpectedBaseline::Comparison;
  const auto& asked = scenario.expect.baseline;
  if (asked.comparison == Comparison::metrics) return asked.tolerances;
  if (asked.comparison == Comparison::usual && scenario.expect.pass.value_or(true)) return usual_tolerances();
  return {};
}

std::vector<std::string> baseline_metrics(const Scenario& scenario) {
  return names(wants_exact_hash(scenario) ? usual_tolerances() : tolerances_of(scenario));
}

bool wants_exact_hash(const Scenario& scenario) {
  return scenario.expect.baseline.comparison == ExpectedBaseline::Comparison::exact;
}

BaselineVerdict compare(const Scenario& scenario, const std::optional<Baseline>& stored, const Baseline& now) {
  BaselineVerdict verdict;
  const auto tolerances = tolerances_of(scenario);
  if (tolerances.empty() && !wants_exact_hash(scenario)) return verdict;
  if (!stored) {
    verdict.failures.push_back("no baseline is stored: run with --bless");
  } else if (wants_exact_hash(scenario)) {
    compare_hash(scenario, *stored, now, verdict);
  } else {
    for (const auto& tolerance : tolerances) compare_metric(tolerance, *stored, now, verdict);
  }
  return verdict;
}

}  // namespace racksim::tools
