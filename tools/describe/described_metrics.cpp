// See described_metrics.hpp.
#include "tools/describe/described_metrics.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/metric_list.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/scenario/shipped_scenarios.hpp"

namespace racksim::tools {
namespace {

/// What the last part of a name asks of a metric; empty of a metric's own number.
std::string number_in_words(const std::string& behind) {
  static const std::map<std::string, std::string> words{
      {"whole_run", "its count in the whole run"},
      {"mega_per_second", "its rate in the measured time"},
      {"count", "how many durations it holds"},
      {"mean", "their mean"},
      {"max", "the longest"},
      {"p50", "the one that 50 % do not exceed"},
      {"p95", "the one that 95 % do not exceed"},
      {"p99", "the one that 99 % do not exceed"},
      {"p999", "the one that 99.9 % do not exceed"},
      {"lowest_share", "the least of its intervals over the greatest"},
      {"low_share", "the share of its intervals below 95 % of the greatest"}};
  const auto found = words.find(behind);
  return found == words.end() ? "" : found->second;
}

struct FoundMetric {
  std::string unit, doc, kind, behind, base;
  std::set<std::string> protocols, workloads;
};

Description described(const std::string& name, const FoundMetric& found) {
  Description result{name, "metric", {}, {}};
  const std::string number = number_in_words(found.behind);
  if (!number.empty()) result.facts.emplace_back("number", fmt::format("{}, of {}", number, found.base));
  result.facts.emplace_back("meaning", found.doc);
  result.facts.emplace_back("unit", found.unit.empty() ? "none" : found.unit);
  result.facts.emplace_back("type", found.kind);
  result.facts.emplace_back("protocols", fmt::format("{}", fmt::join(found.protocols, ", ")));
  result.facts.emplace_back("workloads", fmt::format("{}", fmt::join(found.workloads, ", ")));
  result.json = JsonValue::object({{"name", name}, {"kind", "metric"}});
  if (!number.empty()) result.json.set({{"metric", found.base}, {"number", number}});
  result.json.set({{"doc", found.doc},
                   {"unit", found.unit},
                   {"type", found.kind},
                   {"protocols", array_of(found.protocols)},
                   {"workloads", array_of(found.workloads)}});
  return result;
}

}  // namespace

std::vector<Description> describe_metrics(const std::function<bool(const std::string& name)>& wanted,
                                          const Catalogue& catalogue, std::vector<std::string>& known) {
  std::map<std::string, FoundMetric> found;
  std::set<std::string> names;
  for_each_shipped(catalogue, [&](const Scenario& scenario) {
    sim::Metrics metrics;
    register_metrics(scenario, metrics);
    for (const auto& name : metric_names_in(metrics)) {
      names.insert(name);
      if (!wanted(name)) continue;
      const auto [metric, behind] = metric_number(metrics, name);
      if (metric == nullptr) continue;
      FoundMetric& one = found[name];
      one.unit = metric_unit(metrics, name);
      one.doc = metric->doc;
      one.kind = kind_of(*metric);
      one.behind = behind;
      for (const auto& [base, registered] : metrics.all()) {
        if (&registered == metric) one.base = base;
      }
      one.protocols.insert(scenario.protocol.name);
      one.workloads.insert(scenario.workload.name);
    }
  });
  known.insert(known.end(), names.begin(), names.end());
  std::vector<Description> result;
  for (const auto& [name, one] : found) result.push_back(described(name, one));
  return result;
}

}  // namespace racksim::tools
