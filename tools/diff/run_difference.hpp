// Two documents value by value: the parameters that differ between two runs, and the metrics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A parameter that differs. A side that does not have it holds no text.
struct ParameterDifference {
  std::string parameter;  ///< dotted, such as "protocol.flowcc.cache" or "faults.0.loss"
  std::optional<std::string> a, b;
};

/// All scalars that differ between two documents, in the order of A.
std::vector<ParameterDifference> value_differences(const JsonValue& a, const JsonValue& b);

/// What differs between two expanded configurations, in the order of A. What only names or judges a run (`name`,
/// `check`, `observe`, `expect`) is left out.
std::vector<ParameterDifference> parameter_differences(const JsonValue& a, const JsonValue& b);

/// One number of the report on both sides; a side that does not have it holds none.
struct MetricDifference {
  std::string metric;  ///< dotted, such as "latency_ns.p99"
  std::optional<double> a, b;
  bool differs() const { return a != b; }
};

/// Every number of two reports' `metrics`: the greatest change in per cent first, then by name.
std::vector<MetricDifference> metric_differences(const JsonValue& a, const JsonValue& b);

}  // namespace racksim::tools
