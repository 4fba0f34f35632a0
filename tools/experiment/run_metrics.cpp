// Names and values of a run's metrics. See run_metrics.hpp.
#include "tools/experiment/run_metrics.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>

namespace racksim::tools {
namespace {

/// Behind a counter: its rate in the measured time, in millions a second.
constexpr std::string_view kRate = ".mega_per_second";
/// Behind a counter: what it counted in the whole run.
constexpr std::string_view kWholeRun = ".whole_run";
/// Of all operations that ended; its rate is the throughput.
constexpr const char* kOperations = "operations";

constexpr const char* kStatistics[] = {"count", "mean", "max", "p50", "p95", "p99", "p999"};

constexpr const char* kSeriesStatistics[] = {"lowest_share", "low_share", "mega_per_second"};

/// Below this share of the greatest an interval of a series counts as low.
constexpr double kLow = 0.95;

/// The whole intervals that lie between two instants: the first, and the one behind the last.
std::pair<std::int64_t, std::int64_t> intervals_between(const sim::TimeSeries& series, sim::Time begin, sim::Time end) {
  const std::int64_t interval = series.interval().ps();
  return {(begin.ps() + interval - 1) / interval, end.ps() / interval};
}

/// Of the whole intervals that lie between two instants. Of those behind the last one that counted something there are
/// no values: nothing happened in them.
std::optional<double> series_statistic(const sim::TimeSeries& series, sim::Time begin, sim::Time end,
                                       const std::string& name) {
  const auto [first, last] = intervals_between(series, begin, end);
  if (last <= first) return std::nullopt;
  const auto size = static_cast<std::int64_t>(series.values().size());
  const std::vector<std::uint64_t> values(series.values().begin() + std::min(first, size),
                                          series.values().begin() + std::min(last, size));
  if (name == "mega_per_second") {
    const auto sum = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
    return static_cast<double>(sum) / (series.interval() * (last - first)).seconds() / 1e6;
  }
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*most == 0) return std::nullopt;
  const auto greatest = static_cast<double>(*most);
  if (name == "lowest_share") return static_cast<double>(*least) / greatest;
  if (name != "low_share") return std::nullopt;
  const auto low = std::count_if(values.begin(), values.end(),
                                 [&](std::uint64_t value) { return static_cast<double>(value) < kLow * greatest; });
  return static_cast<double>(low) / static_cast<double>(values.size());
}

/// The series behind a name, and what is asked of it; null if it is no statistic of a series.
std::pair<const sim::TimeSeries*, std::string> series_of(const sim::Metrics& metrics, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const sim::Metric* metric = dot == std::string::npos ? nullptr : metrics.find(name.substr(0, dot));
  const auto* series = metric != nullptr ? std::get_if<sim::TimeSeries>(&metric->value) : nullptr;
  return {series, series != nullptr ? name.substr(dot + 1) : ""};
}

/// The counter that a name with something behind it is about; null if there is none.
const sim::Counter* counter_of(const sim::Metrics& metrics, const std::string& name, std::string_view behind) {
  const sim::Metric* metric =
      name.ends_with(behind) ? metrics.find(name.substr(0, name.size() - behind.size())) : nullptr;
  return metric != nullptr ? std::get_if<sim::Counter>(&metric->value) : nullptr;
}

double mega_per_second(const sim::Metrics& metrics, const sim::Counter& counter) {
  const double seconds = metrics.window_length().seconds();
  return seconds > 0 ? static_cast<double>(counter.in_window()) / seconds / 1e6 : 0;
}

}  // namespace

std::optional<double> metric_value(const sim::Metrics& metrics, const std::string& name) {
  if (const auto [series, statistic] = series_of(metrics, name); series != nullptr) {
    return series_statistic(*series, metrics.window_begin(), metrics.window_begin() + metrics.window_length(),
                            statistic);
  }
  if (name == "throughput_mops") return metric_value(metrics, kOperations + std::string(kRate));
  if (name.starts_with("latency_ns.")) return metric_value(metrics, "latency." + name.substr(11));
  if (const sim::Metric* metric = metrics.find(name)) return metric->number();
  if (const auto* counter = counter_of(metrics, name, kRate)) return mega_per_second(metrics, *counter);
  if (const auto* counter = counter_of(metrics, name, kWholeRun)) return static_cast<double>(counter->value);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const sim::Metric* metric = metrics.find(name.substr(0, dot));
  const auto* histogram = metric != nullptr ? std::get_if<sim::Histogram>(&metric->value) : nullptr;
  return histogram != nullptr ? histogram_statistic(*histogram, name.substr(dot + 1)) : std::nullopt;
}

std::optional<sim::Duration> interval_too_long_for(const sim::Metrics& metrics, const std::string& name,
                                                   sim::Time begin, sim::Time end) {
  const sim::TimeSeries* series = series_of(metrics, name).first;
  if (series == nullptr) return std::nullopt;
  const auto [first, last] = intervals_between(*series, begin, end);
  return last <= first ? std::optional(series->interval()) : std::nullopt;
}

std::optional<double> metric_value_within(const sim::Metrics& metrics, const std::string& name, sim::Time begin,
                                          sim::Time end) {
  const auto [series, statistic] = series_of(metrics, name);
  return series != nullptr ? series_statistic(*series, begin, end, statistic) : std::nullopt;
}

std::string metric_unit(const sim::Metrics& metrics, const std::string& name) {
  const auto millions = [](const std::string& unit) {
    return unit == "operations" ? std::string("Mops") : "million " + unit + "/s";
  };
  if (name == "throughput_mops") return "Mops";
  if (name.starts_with("latency_ns.")) return metric_unit(metrics, "latency." + name.substr(11));
  if (const sim::Metric* metric = metrics.find(name)) return metric->unit;
  const std::size_t dot = name.rfind('.');
  const sim::Metric* metric = dot == std::string::npos ? nullptr : metrics.find(name.substr(0, dot));
  if (metric == nullptr) return {};
  if (name.ends_with(kRate)) return millions(metric->unit);
  if (std::holds_alternative<sim::TimeSeries>(metric->value)) return "share";
  return std::holds_alternative<sim::Histogram>(metric->value) && name.ends_with(".count") ? "" : metric->unit;
}

std::optional<double> histogram_statistic(const sim::Histogram& h, const std::string& name) {
  if (name == "count") return static_cast<double>(h.count());
  if (h.count() == 0) return std::nullopt;
  if (name == "mean") return h.mean().ns();
  if (name == "max") return h.max().ns();
  if (name == "p50") return h.percentile(50).ns();
  if (name == "p95") return h.percentile(95).ns();
  if (name == "p99") return h.percentile(99).ns();
  if (name == "p999") return h.percentile(99.9).ns();
  return std::nullopt;
}

std::vector<std::string> histogram_statistics() {
  return {std::begin(kStatistics), std::end(kStatistics)};
}

MetricNumber metric_number(const sim::Metrics& metrics, const std::string& name) {
  if (name == "throughput_mops") return metric_number(metrics, kOperations + std::string(kRate));
  if (name.starts_with("latency_ns.")) return metric_number(metrics, "latency." + name.substr(11));
  if (const sim::Metric* metric = metrics.find(name)) return {metric, ""};
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  return {metrics.find(name.substr(0, dot)), name.substr(dot + 1)};
}

std::vector<std::string> metric_names_in(const sim::Metrics& metrics) {
  std::vector<std::string> names;
  if (metrics.find(kOperations) != nullptr) names.push_back("throughput_mops");
  for (const auto& [name, metric] : metrics.all()) {
    if (std::holds_alternative<sim::TimeSeries>(metric.value)) {
      for (const char* statistic : kSeriesStatistics) names.push_back(name + "." + statistic);
      continue;
    }
    if (!std::holds_alternative<sim::Histogram>(metric.value)) {
      names.push_back(name);
      if (std::holds_alternative<sim::Counter>(metric.value)) {
        for (const auto behind : {kRate, kWholeRun}) names.push_back(name + std::string(behind));
      }
      continue;
    }
    for (const char* statistic : kStatistics) {
      names.push_back(name + "." + statistic);
      if (name == "latency") names.push_back(std::string("latency_ns.") + statistic);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace racksim::tools
