// Lists of metrics. See metric_list.hpp.
#include "tools/experiment/metric_list.hpp"

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/text/columns.hpp"

namespace racksim::tools {
namespace {

struct KindOf {
  const char* operator()(const sim::Counter&) const { return "counter"; }
  const char* operator()(const sim::Gauge&) const { return "gauge"; }
  const char* operator()(const sim::Quotient&) const { return "quotient"; }
  const char* operator()(const sim::Histogram&) const { return "histogram"; }
  const char* operator()(const sim::TimeSeries&) const { return "time series"; }
};

const char* to_string(sim::Shown shown) {
  switch (shown) {
    case sim::Shown::always:
      return "always";
    case sim::Shown::trouble:
      return "trouble";
    case sim::Shown::verbose:
      return "verbose";
    case sim::Shown::json:
      break;
  }
  return "json";
}

}  // namespace

const char* kind_of(const sim::Metric& metric) {
  return std::visit(KindOf{}, metric.value);
}

void add_metrics(MetricList& list, const Scenario& scenario) {
  sim::Metrics metrics;
  register_metrics(scenario, metrics);
  for (const auto& [name, metric] : metrics.all()) {
    ListedMetric& listed = list[name];
    listed.unit = metric.unit;
    listed.doc = metric.doc;
    listed.kind = kind_of(metric);
    listed.shown = to_string(metric.shown);
    listed.protocols.insert(scenario.protocol.name);
    listed.workloads.insert(scenario.workload.name);
  }
}

std::string metrics_text(const MetricList& list) {
  std::vector<std::vector<std::string>> lines{{"metric", "unit", "kind", "meaning"}};
  for (const auto& [name, metric] : list) lines.push_back({name, metric.unit, metric.kind, metric.doc});
  return in_columns(lines);
}

JsonValue metrics_json(const MetricList& list) {
  return array_of(list, [](const auto& entry) {
    const auto& [name, metric] = entry;
    return JsonValue::object({{"name", name},
                              {"unit", metric.unit},
                              {"kind", metric.kind},
                              {"shown", metric.shown},
                              {"doc", metric.doc},
                              {"protocols", array_of(metric.protocols)},
                              {"workloads", array_of(metric.workloads)}});
  });
}

}  // namespace racksim::tools
