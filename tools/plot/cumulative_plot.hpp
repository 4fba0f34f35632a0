// The cumulative distribution of what runs have recorded in a histogram, as a plot with a logarithmic tail.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/plot/result_plot.hpp"

namespace racksim::tools {

/// What a histogram has counted between two durations in nanoseconds, the second of which is not one of them.
struct CountedBucket {
  double from = 0, until = 0, count = 0;
};

/// One series: the records of its results together.
struct CumulativeCurve {
  std::string series;
  std::size_t results = 0;
  std::vector<CountedBucket> buckets;  ///< in any order, all with a count above 0
};

/// Each curve rises in a step where a bucket ends, by its share of the records: so the share at a duration has been that
/// short for certain. A line of the CSV for each bucket: its ends, series, how many results, count, and the share up to
/// its end. `scale` of x is "linear", "log" or empty for the one that suits. Throws InputError for others.
ResultPlot cumulative_plot(const std::string& name, const std::string& metric,
                           const std::vector<CumulativeCurve>& curves, const std::string& scale);

/// The same of the histogram `metric` in the reports at these paths (run_reports.hpp); equal values of the options `by`
/// are one series. Notes tell of results in which nothing was recorded, and of results put together although their
/// settings differ. Throws InputError, with the nearest name for a metric or an option that no report has.
ResultPlot cumulative_plot_of(const std::vector<std::string>& paths, const std::string& metric,
                              const std::vector<std::string>& by, const std::string& scale);

}  // namespace racksim::tools
