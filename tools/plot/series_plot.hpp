// Metrics over time as a plot: of the files of `observe.series`, and of the time series in reports of runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/plot/result_plot.hpp"

namespace racksim::tools {

/// A metric in each interval of a run; NaN where it has no value.
struct MetricOverTime {
  std::string name, unit;
  double begin = 0, interval = 0;  ///< of the first, and how long each is, in microseconds
  std::vector<double> values;      ///< interval by interval
};

/// What one result has, and the series that it belongs to.
struct ResultOverTime {
  std::string series;
  std::vector<MetricOverTime> metrics;
};

/// The metrics `names` in the order that they are asked for, those of one unit in one panel; results of one series are
/// their mean in each interval. A line of the CSV for each interval and series: time_us, series, how many results, and
/// the metrics with their units, empty where there is no value. Notes tell of results without a metric. Throws InputError
/// with the nearest name for a metric that no result has, if nothing has a value, and for results of one series with
/// different intervals. `series` are the results' series, in the order of the legend.
ResultPlot series_plot(const std::string& name, const std::vector<std::string>& names,
                       const std::vector<ResultOverTime>& results, const std::vector<std::string>& series, bool log_y);

/// What a file of `observe.series` holds. Throws InputError with the line if it is none.
std::vector<MetricOverTime> read_series_file(const std::filesystem::path& file);

/// The same of the results at these paths: files of `observe.series`, each a series of its own, and reports or folders
/// with such (run_reports.hpp), of which equal values of the options `by` are one series. Of a report's folder the file of
/// `observe.series` in it is read too. Throws InputError.
ResultPlot series_plot_of(const std::vector<std::string>& paths, const std::vector<std::string>& names,
                          const std::vector<std::string>& by, bool log_y);

}  // namespace racksim::tools
