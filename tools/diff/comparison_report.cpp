// Printing a comparison. See comparison.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "tools/diff/comparison.hpp"
#include "tools/experiment/metric_change.hpp"
#include "tools/experiment/provenance.hpp"

namespace racksim::tools {
namespace {

std::string text_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "?";
}

std::string run_line(const char* name, const ComparedRun& given, const StoredRun& run) {
  const auto* seed = run.report.find("seed");
  return fmt::format("{}  {}: {}, seed {}, {}, run hash {}\n", name, given.given, text_member(run.report, "scenario"),
                     seed ? to_canonical_json(*seed) : "?", text_member(run.report, "verdict"), run.hash());
}

/// An instant to the picosecond.
std::string time_text(std::int64_t ps) {
  return fmt::format("{}.{:03} ns", ps / 1000, ps % 1000);
}

std::string divergence_text(const Divergence& divergence) {
  std::string text = fmt::format("the runs part after {}", time_text(divergence.after.ps()));
  if (divergence.by) text += fmt::format(" and by {}", time_text(divergence.by->ps()));
  return text + fmt::format("; places that differ by then: {}\n", fmt::join(divergence.places, ", "));
}

void add_observations(std::string& out, const char* side, const std::vector<TracedObservation>& observations) {
  for (const auto& o : observations) out += fmt::format("  {}  {:>18}  {}\n", side, time_text(o.at_ps), o.text());
  if (observations.empty()) out += fmt::format("  {}  records nothing more\n", side);
}

std::string first_text(const FirstDifference& first) {
  std::string out =
      fmt::format("first observation that differs: at {} in {}\n", time_text(first.at_ps()), first.source);
  for (const auto& o : first.before) out += fmt::format("  =  {:>18}  {}\n", time_text(o.at_ps), o.text());
  add_observations(out, "A", first.a);
  add_observations(out, "B", first.b);
  return out;
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "-";
}

std::string change(const MetricDifference& metric) {
  if (!metric.a) return "only in B";
  if (!metric.b) return "only in A";
  return change_text(*metric.a, *metric.b);
}

std::vector<MetricDifference> shown(const RunComparison& comparison, bool all) {
  std::vector<MetricDifference> metrics;
  for (const auto& metric : comparison.metrics) {
    if (all || metric.differs()) metrics.push_back(metric);
  }
  return metrics;
}

std::string metrics_text(const std::vector<MetricDifference>& metrics, std::size_t of) {
  if (metrics.empty()) return fmt::format("none of {} metrics differs\n", of);
  std::size_t width = 0;
  for (const auto& metric : metrics) width = std::max(width, metric.metric.size());
  std::string out = fmt::format("{:<{}}  {:>14}  {:>14}  change\n", "metric", width, "A", "B");
  for (const auto& metric : metrics) {
    out += fmt::format("{:<{}}  {:>14}  {:>14}  {}\n", metric.metric, width, number_text(metric.a),
                       number_text(metric.b), change(metric));
  }
  return out;
}

JsonValue optional_text(const std::optional<std::string>& text) {
  return text ? JsonValue(*text) : JsonValue();
}

JsonValue optional_number(const std::optional<double>& number) {
  return number ? JsonValue(*number) : JsonValue();
}

double ns(std::int64_t ps) {
  return sim::Time::from_ps(ps).ns();
}

JsonValue observations_json(const std::vector<TracedObservation>& observations) {
  auto list = JsonValue::array();
  for (const auto& o : observations) {
    auto& value = list.push(JsonValue::object());
    value.set("time_ns", ns(o.at_ps));
    value.set("source", o.source);
    value.set("what", o.what);
    value.set("operation", o.operation);
    value.set("detail", array_of(o.detail));
    value.set("text", o.text());
  }
  return list;
}

JsonValue run_summary(const ComparedRun& given, const StoredRun& run) {
  auto value = JsonValue::object();
  value.set("run", given.given);
  for (const char* key : {"scenario", "protocol", "seed", "verdict", "run_hash"}) {
    const auto* member = run.report.find(key);
    value.set(key, member ? *member : JsonValue());
  }
  return value;
}

}  // namespace

std::string comparison_text(const ComparedRun& a, const ComparedRun& b, const RunComparison& comparison,
                            bool all_metrics) {
  std::string out = run_line("A", a, comparison.a) + run_line("B", b, comparison.b);
  if (!comparison.parameters.empty()) out += "parameters that differ (A, B):\n";
  for (const auto& parameter : comparison.parameters) {
    out += fmt::format("  {}: {}, {}\n", parameter.parameter, parameter.a.value_or("(none)"),
                       parameter.b.value_or("(none)"));
  }
  if (comparison.same_hash()) out += "the run hashes are equal: both observed the same\n";
  if (comparison.divergence && !comparison.first) out += divergence_text(*comparison.divergence);
  if (comparison.first) out += first_text(*comparison.first);
  for (const auto& note : comparison.notes) out += note + "\n";
  return out + metrics_text(shown(comparison, all_metrics), comparison.metrics.size());
}

JsonValue comparison_json(const ComparedRun& a, const ComparedRun& b, const RunComparison& comparison,
                          bool all_metrics) {
  auto value = JsonValue::object(
      {{"same", comparison.same()}, {"a", run_summary(a, comparison.a)}, {"b", run_summary(b, comparison.b)}});
  auto& parameters = value.set("parameters", JsonValue::array());
  for (const auto& parameter : comparison.parameters) {
    auto& row = parameters.push(JsonValue::object());
    row.set("parameter", parameter.parameter);
    row.set("a", optional_text(parameter.a));
    row.set("b", optional_text(parameter.b));
  }
  auto& parted = value.set("parted", JsonValue());
  if (comparison.divergence) {
    parted.set("after_ns", comparison.divergence->after.ns());
    parted.set("by_ns", comparison.divergence->by ? JsonValue(comparison.divergence->by->ns()) : JsonValue());
    parted.set("places", array_of(comparison.divergence->places));
  }
  auto& first = value.set("first_difference", JsonValue());
  if (comparison.first) {
    first.set("time_ns", ns(comparison.first->at_ps()));
    first.set("source", comparison.first->source);
    first.set("before", observations_json(comparison.first->before));
    first.set("a", observations_json(comparison.first->a));
    first.set("b", observations_json(comparison.first->b));
  }
  auto& metrics = value.set("metrics", JsonValue::array());
  for (const auto& metric : shown(comparison, all_metrics)) {
    auto& row = metrics.push(JsonValue::object());
    row.set("metric", metric.metric);
    row.set("a", optional_number(metric.a));
    row.set("b", optional_number(metric.b));
    const bool both = metric.a && metric.b;
    row.set("change_percent", both ? JsonValue(change_per_cent(*metric.a, *metric.b)) : JsonValue());
  }
  value.set("notes", array_of(comparison.notes));
  value.set("provenance", provenance_json());
  return value;
}

}  // namespace racksim::tools
