// What the metrics of scenarios are called and mean, without running them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/metrics/metrics.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// What a registered metric is.
struct ListedMetric {
  std::string unit, doc;
  std::string kind;                            ///< "counter", "gauge", "quotient", "histogram" or "time series"
  std::string shown;                           ///< when a person sees it: "always", "trouble", "verbose" or "json"
  std::set<std::string> protocols, workloads;  ///< in whose runs it was found
};

/// Whether it is a "counter", "gauge", "quotient", "histogram" or "time series".
const char* kind_of(const sim::Metric& metric);

/// By name.
using MetricList = std::map<std::string, ListedMetric>;

/// Adds the metrics that a run of the scenario registers. Builds the rack and runs nothing. Throws InputError where
/// options do not fit each other.
void add_metrics(MetricList& list, const Scenario& scenario);

std::string metrics_text(const MetricList& list);
JsonValue metrics_json(const MetricList& list);

}  // namespace racksim::tools
