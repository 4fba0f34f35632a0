// Metrics over time as CSV (`observe.series`): a row for each interval of simulated time from the run's begin on, a column
// for each metric that was asked for, by the names that expectations use (run_metrics.hpp).
//
//   time_us,throughput_mops [Mops],latency_ns.p99 [ns]
//   0,1.25,3211.4
//
// A number is of its interval: of a counter what it counted, of a share or a quotient the counters' in the interval, of
// a statistic of a histogram what that recorded there, in the window of measurement or not, of busy.KIND and queue.KIND
// those of the resource that was busiest in it, of a level what it is at the interval's end. A cell stays empty where the
// interval has nothing to tell.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "tools/json/input_error.hpp"

namespace racksim::tools {

class MetricSeries {
 public:
  /// `metrics` must outlive it, and have all registered. Throws InputError at `asked`, of the index of a name, for one
  /// that is unknown or cannot be told of an interval: of a number that is computed when the window closes, and of a
  /// time series.
  MetricSeries(sim::Metrics& metrics, const std::vector<std::string>& names, sim::Duration interval,
               const JsonLocation& asked);

  /// The first line.
  std::string header() const;
  /// The run begins: nothing has been counted.
  void begin();
  /// An interval has ended: its line.
  std::string next();

 private:
  using Value = std::optional<double>;
  struct Column {
    std::string title;
    std::function<Value()> since_last;  ///< what there is since it was called before
  };

  /// Nothing if the name is not one of those that can be told.
  std::function<Value()> source(const std::string& name) const;
  std::vector<std::string> names_to_choose_from() const;

  sim::Metrics& metrics_;
  sim::Duration interval_;
  std::int64_t rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace racksim::tools
