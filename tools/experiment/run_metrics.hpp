// The metrics of a run by the names that expectations, baselines and figures use: a registered name, which is of the
// window of measurement, or one with a histogram's statistic behind it ("latency.p99"), a counter's rate
// ("micro.operations.mega_per_second") or its count in the whole run ("nic.rc_timeouts.whole_run"), or the report's own
// ("throughput_mops", "latency_ns.p99"). Of a time series, over the whole intervals in the measured time
// or in another: "lowest_share", the least of them over the greatest, "low_share", the share of those below 95 % of the
// greatest, and of one that counts "mega_per_second", how many millions there were in a second.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/metrics/metrics.hpp"

namespace racksim::tools {

/// The metric of this name; null if there is none.
std::optional<double> metric_value(const sim::Metrics& metrics, const std::string& name);

/// The same where it is a statistic of a time series, over another time than the measured one; null for all else.
std::optional<double> metric_value_within(const sim::Metrics& metrics, const std::string& name, sim::Time begin,
                                          sim::Time end);

/// The series' interval, if the metric is a statistic of one of which no whole interval lies between two instants.
std::optional<sim::Duration> interval_too_long_for(const sim::Metrics& metrics, const std::string& name,
                                                   sim::Time begin, sim::Time end);

/// In what the metric of this name is told, such as "Mops" or "ns"; empty if there is none.
std::string metric_unit(const sim::Metrics& metrics, const std::string& name);

/// What is asked of a histogram by the last part of a name: "count", "p99"; nothing if there is no such statistic, or
/// nothing in it.
std::optional<double> histogram_statistic(const sim::Histogram& histogram, const std::string& name);

/// The statistics that a histogram has.
std::vector<std::string> histogram_statistics();

/// A metric's name and what stands behind it for one of its numbers.
struct MetricNumber {
  const sim::Metric* metric = nullptr;  ///< null if there is none
  std::string behind;                   ///< "p99" of "latency.p99"; empty of a name alone
};
/// Which number of which metric a name that `metric_value` knows is about.
MetricNumber metric_number(const sim::Metrics& metrics, const std::string& name);

/// All names that `metric_value` knows, in alphabetical order.
std::vector<std::string> metric_names_in(const sim::Metrics& metrics);

}  // namespace racksim::tools
