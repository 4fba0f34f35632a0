// The metrics of a run by the names that expectations, baselines and figures use: a registered name, or one with a
// histogram's statistic behind it ("latency.p99") or a counter's rate ("micro.operations.mega_per_second"), or the
// report's own ("throughput_mops", "latency_ns.p99"). Of a time series, over the whole intervals in the measured time:
// "lowest_share", the least of them over the greatest, and "low_share", the share of those below 95 % of the greatest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/experiment.hpp"

namespace racksim::tools {

/// The metric of this name; null if there is none.
std::optional<double> metric_value(const RunResult& result, const sim::Metrics& metrics, const std::string& name);

/// All names that `metric_value` knows, in alphabetical order.
std::vector<std::string> metric_names_in(const sim::Metrics& metrics);

}  // namespace racksim::tools
