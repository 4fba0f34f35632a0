// Printing a comparison by seeds. See seed_comparison.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "tools/diff/run_difference.hpp"
#include "tools/diff/seed_comparison.hpp"
#include "tools/experiment/metric_change.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/seeds/interval_text.hpp"
#include "tools/text/columns.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

std::string side_line(const char* name, const SeedSide& side, const std::vector<SeedRun>& runs) {
  const auto failed = std::count_if(runs.begin(), runs.end(), [](const SeedRun& run) { return !run.pass; });
  return fmt::format("{}  {}: {} ({}), {}, {}\n", name, side.given, side.scenario.name, side.scenario.protocol.name,
                     seeds_of(runs), failed == 0 ? "pass" : fmt::format("{} of {} FAIL", failed, runs.size()));
}

std::vector<ParameterDifference> parameters_of(const SeedSide& a, const SeedSide& b) {
  auto parameters = parameter_differences(configuration(a.scenario), configuration(b.scenario));
  std::erase_if(parameters, [](const ParameterDifference& one) { return one.parameter == "seed"; });
  return parameters;
}

std::string mean_text(double mean, const ComparedMetric& metric) {
  return fmt::format("{:.{}f}", mean, decimals_for(mean, metric.pairs.difference.half_width));
}

/// What the pairs show of a metric, and of how many runs.
std::string finding_of(const ComparedMetric& metric, std::size_t runs) {
  const std::string text = finding_text(metric.pairs, metric.corrected);
  const std::size_t pairs = metric.pairs.difference.count;
  return pairs == runs ? text : fmt::format("{}, in {} of {} pairs", text, pairs, runs);
}

std::string conclusion(const SeedComparison& comparison) {
  const std::size_t seeds = comparison.a.size();
  const std::string with = counted(seeds, "seed");
  if (comparison.equal()) return fmt::format("the runs are equal: every metric is the same with {}\n", with);
  if (comparison.metrics.empty()) return "no pair of runs has a metric to compare\n";
  if (comparison.differing() == 0) return fmt::format("no difference can be told with {}\n", with);
  return fmt::format("{} of {} metrics differ, judged together (Holm's correction, {:.0f} %)\n", comparison.differing(),
                     comparison.compared(), kSignificance * 100);
}

JsonValue side_json(const SeedSide& side, const std::vector<SeedRun>& runs) {
  auto json = JsonValue::object(
      {{"run", side.given}, {"scenario", side.scenario.name}, {"protocol", side.scenario.protocol.name}});
  json.set("runs", runs_json(runs, side.command));
  return json;
}

}  // namespace

std::string seed_comparison_text(const SeedSide& a, const SeedSide& b, const SeedComparison& comparison) {
  std::string text = side_line("A", a, comparison.a) + side_line("B", b, comparison.b);
  const auto parameters = parameters_of(a, b);
  if (!parameters.empty()) text += "parameters that differ (A, B):\n";
  for (const ParameterDifference& parameter : parameters) {
    text += fmt::format("  {}: {}, {}\n", parameter.parameter, parameter.a.value_or("(none)"),
                        parameter.b.value_or("(none)"));
  }
  std::vector<std::vector<std::string>> rows{{"metric", "A", "B", "B - A ± 95 %", "change", "unit", "judged"}};
  for (const ComparedMetric& metric : comparison.metrics) {
    if (metric.same() && !is_asked_first(metric.name)) continue;
    rows.push_back({metric.name, mean_text(metric.a.mean, metric), mean_text(metric.b.mean, metric),
                    interval_text(metric.pairs.difference), change_text(metric.a.mean, metric.b.mean), metric.unit,
                    finding_of(metric, comparison.a.size())});
  }
  if (rows.size() > 1) text += in_columns(rows);
  return text + conclusion(comparison) + failures_text(comparison.a, a.command) +
         failures_text(comparison.b, b.command);
}

JsonValue seed_comparison_json(const SeedSide& a, const SeedSide& b, const SeedComparison& comparison) {
  auto json = JsonValue::object({{"equal", comparison.equal()}});
  json.set("a", side_json(a, comparison.a));
  json.set("b", side_json(b, comparison.b));
  json.set("parameters", array_of(parameters_of(a, b), [](const ParameterDifference& parameter) {
             auto row = JsonValue::object({{"parameter", parameter.parameter}});
             row.set("a", parameter.a ? JsonValue(*parameter.a) : JsonValue());
             row.set("b", parameter.b ? JsonValue(*parameter.b) : JsonValue());
             return row;
           }));
  json.set("confidence", kConfidence);
  json.set("significance", kSignificance);
  json.set("compared", comparison.compared());
  json.set("differing", comparison.differing());
  json.set("metrics", array_of(comparison.metrics, [](const ComparedMetric& metric) {
             auto row = JsonValue::object({{"metric", metric.name},
                                           {"unit", metric.unit},
                                           {"a", interval_json(metric.a)},
                                           {"b", interval_json(metric.b)}});
             add_comparison(row, metric.pairs, metric.corrected);
             return row;
           }));
  json.set("provenance", provenance_json());
  return json;
}

}  // namespace racksim::tools
