// See seed_report.hpp.
#include "tools/seeds/seed_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/experiment/provenance.hpp"
#include "tools/seeds/interval_text.hpp"
#include "tools/text/columns.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kAskedFirst[] = {"throughput_mops", "latency_ns.mean", "latency_ns.p50",
                                       "latency_ns.p95",  "latency_ns.p99",  "latency_ns.p999"};

/// Whether another name says the same: also of a counter, whose rate and whole run would be judged as often as itself.
bool is_second_name(const std::string& name) {
  if (name.ends_with(".mega_per_second") || name.ends_with(".whole_run")) return true;
  return name.starts_with("latency.") && name.find('.', 8) == std::string::npos;
}

std::string seeds_line(const char* name, const std::string& text) {
  return fmt::format("{:<13}{}\n", name, text);
}

/// Of the headline metrics the one that is known worst, such as "latency_ns.mean ± 3.1 %".
std::string least_precise(const std::vector<MetricOverSeeds>& metrics) {
  std::string text;
  double most = -1;
  for (const char* name : kHeadline) {
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == name; });
    if (found == metrics.end()) return std::string(name) + " has no value";
    const auto share = found->interval.relative();
    if (!share) return std::string(name) + " has no such interval";
    if (*share <= most) continue;
    most = *share;
    text = fmt::format("{} ± {}", name, share_text(found->interval));
  }
  return text;
}

std::string precision_text(const SeedPlan& plan, const std::vector<SeedRun>& runs,
                           const std::vector<MetricOverSeeds>& metrics) {
  const std::string asked = fmt::format("{:.4g} %", *plan.precision * 100);
  const std::string worst = least_precise(metrics);
  if (precise_enough(runs, *plan.precision))
    return fmt::format("within {} with {} seeds: {}", asked, runs.size(), worst);
  if (!all_pass(runs))
    return fmt::format("not within {} with {} seeds, and none is added to a failure: {}", asked, runs.size(), worst);
  if (runs.size() < plan.most) return fmt::format("not yet within {} with {} seeds: {}", asked, runs.size(), worst);
  return fmt::format("not within {} with {} seeds, the most (--most-seeds): {}", asked, runs.size(), worst);
}

}  // namespace

bool is_asked_first(const std::string& metric) {
  return std::find(std::begin(kAskedFirst), std::end(kAskedFirst), metric) != std::end(kAskedFirst);
}

std::vector<MetricOverSeeds> metrics_over(const std::vector<SeedRun>& runs) {
  std::set<std::string> others;
  for (const SeedRun& run : runs) {
    for (const auto& [name, value] : run.values) {
      if (!is_asked_first(name) && !is_second_name(name)) others.insert(name);
    }
  }
  std::vector<std::string> names(std::begin(kAskedFirst), std::end(kAskedFirst));
  names.insert(names.end(), others.begin(), others.end());
  std::vector<MetricOverSeeds> metrics;
  for (const std::string& name : names) {
    MetricOverSeeds metric{.name = name, .unit = {}, .interval = {}, .values = {}};
    std::vector<double> there;
    for (const SeedRun& run : runs) {
      const auto found = run.values.find(name);
      metric.values.push_back(found == run.values.end() ? std::nullopt : std::optional(found->second));
      if (found == run.values.end()) continue;
      there.push_back(found->second);
      metric.unit = run.units.at(name);
    }
    const auto interval = mean_interval(there);
    if (!interval) continue;
    metric.interval = *interval;
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::string seeds_of(const std::vector<SeedRun>& runs) {
  if (runs.size() == 1) return fmt::format("seed {}", runs.front().seed);
  return fmt::format("seeds {} to {}", runs.front().seed, runs.back().seed);
}

std::string verdict_of(const SeedRun& run) {
  return !run.ended() ? "crash" : run.pass ? "pass" : "fail";
}

bool all_pass(const std::vector<SeedRun>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const SeedRun& run) { return run.pass; });
}

std::string failures_text(const std::vector<SeedRun>& runs, const SeedCommand& command) {
  std::string text;
  for (const SeedRun& run : runs) {
    if (!run.pass) text += fmt::format("  seed {}: {}\n    repeat: {}\n", run.seed, run.problem, command(run.seed));
  }
  return text;
}

std::string seeds_text(const Scenario& scenario, const SeedPlan& plan, const std::vector<SeedRun>& runs,
                       const SeedCommand& command, bool all) {
  const auto metrics = metrics_over(runs);
  std::string text =
      seeds_line("scenario", fmt::format("{} ({}, {})", scenario.name, scenario.protocol.name, seeds_of(runs)));
  std::vector<std::vector<std::string>> rows{{"metric", "mean ± 95 %", "share", "least .. most", "unit", ""}};
  bool equal = runs.size() > 1;
  for (const MetricOverSeeds& metric : metrics) {
    const MeanInterval& interval = metric.interval;
    equal = equal && interval.equal() && interval.count == runs.size();
    const bool nothing = interval.least == 0 && interval.most == 0;
    if (!is_asked_first(metric.name) && (!all || nothing)) continue;
    rows.push_back({metric.name, interval_text(interval), share_text(interval), spread_text(interval), metric.unit,
                    interval.count == runs.size() ? "" : fmt::format("in {} of {} runs", interval.count, runs.size())});
  }
  if (rows.size() > 1) text += in_columns(rows);
  if (metrics.empty()) text += seeds_line("metrics", "none: no run has ended");
  const bool answered =
      std::any_of(metrics.begin(), metrics.end(), [](const auto& m) { return m.name == "latency_ns.mean"; });
  if (!metrics.empty() && !answered) text += seeds_line("latency", "no operations");
  if (runs.size() == 1) text += seeds_line("interval", "none: one seed tells nothing of the spread");
  if (equal) text += seeds_line("equal", fmt::format("each metric is the same in all {} runs", runs.size()));
  if (plan.precision) text += seeds_line("precision", precision_text(plan, runs, metrics));
  const auto failed = std::count_if(runs.begin(), runs.end(), [](const SeedRun& run) { return !run.pass; });
  text += seeds_line("verdict", failed == 0 ? fmt::format("pass, with {}", seeds_of(runs))
                                            : fmt::format("FAIL: {} of {} runs", failed, runs.size()));
  return text + failures_text(runs, command);
}

JsonValue runs_json(const std::vector<SeedRun>& runs, const SeedCommand& command) {
  return array_of(runs, [&](const SeedRun& run) {
    auto one = JsonValue::object({{"seed", run.seed}, {"verdict", verdict_of(run)}, {"run_hash", run.hash}});
    if (!run.problem.empty()) one.set("problem", run.problem);
    one.set("command", command(run.seed));
    return one;
  });
}

JsonValue interval_json(const MeanInterval& interval) {
  return JsonValue::object({{"mean", interval.mean},
                            {"half_width", interval.half_width ? JsonValue(*interval.half_width) : JsonValue()},
                            {"least", interval.least},
                            {"most", interval.most}});
}

void add_comparison(JsonValue& object, const PairedComparison& comparison, const std::optional<double>& corrected) {
  const auto number = [](const std::optional<double>& value) { return value ? JsonValue(*value) : JsonValue(); };
  object.set("difference", interval_json(comparison.difference));
  object.set("pairs", comparison.difference.count);
  object.set("probability", number(comparison.probability));
  object.set("corrected", number(corrected));
  object.set("differs", corrected && *corrected <= kSignificance);
}

JsonValue seeds_json(const Scenario& scenario, const SeedPlan& plan, const std::vector<SeedRun>& runs,
                     const SeedCommand& command) {
  auto report = JsonValue::object({{"scenario", scenario.name},
                                   {"protocol", scenario.protocol.name},
                                   {"verdict", all_pass(runs) ? "pass" : "fail"},
                                   {"confidence", kConfidence}});
  if (plan.precision) {
    report.set("precision",
               JsonValue::object({{"asked", *plan.precision}, {"reached", precise_enough(runs, *plan.precision)}}));
  }
  JsonValue metrics = JsonValue::object();
  for (const MetricOverSeeds& metric : metrics_over(runs)) {
    JsonValue one = JsonValue::object({{"unit", metric.unit}});
    const JsonValue interval = interval_json(metric.interval);
    for (const auto& [key, value] : *interval.members()) one.set(key, value);
    one.set("values",
            array_of(metric.values, [](const auto& value) { return value ? JsonValue(*value) : JsonValue(); }));
    metrics.append({metric.name, std::move(one)});
  }
  report.set("metrics", std::move(metrics));
  report.set("runs", runs_json(runs, command));
  report.set("provenance", provenance_json());
  report.set("config", configuration(scenario));
  return report;
}

}  // namespace racksim::tools
