// A figure's series compared with its first one, at each x and in each metric: by the differences of runs with the same
// seed or placement, so that what those do to both cancels out. At each point the series are judged together.
#pragma once

#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"
#include "tools/statistics/paired_comparison.hpp"

namespace racksim::tools {

struct SeriesComparison {
  std::size_t criterion = 0, x = 0, metric = 0;
  bool whole = false;       ///< of whole runs (figure_report.hpp): there is one for all x
  std::size_t series = 0;   ///< never the first
  MeanInterval first, own;  ///< of the pairs of which both have a value
  PairedComparison pairs;   ///< own less first
  /// The pairs' probability by Holm's correction over the series at this point. None of a single pair, and of pairs that
  /// are equal, which are not counted.
  std::optional<double> corrected;

  bool differs() const { return corrected && *corrected <= kSignificance; }
};

/// Whether it has several series, and repeats its points (figure_repeats.hpp).
bool can_compare_series(const Figure& figure);

/// By metric, criterion, x and series. Empty if the series cannot be compared; a pair of them that share no value is left
/// out.
std::vector<SeriesComparison> compare_series(const Figure& figure, const std::vector<PointResult>& results);

/// A line for each, with the means, the difference, its half_width, and the probability as it is and corrected.
std::string comparisons_csv(const Figure& figure, const std::vector<SeriesComparison>& comparisons);
/// A table for each metric and criterion.
std::string comparisons_text(const Figure& figure, const std::vector<SeriesComparison>& comparisons);
JsonValue comparisons_json(const Figure& figure, const std::vector<SeriesComparison>& comparisons);

}  // namespace racksim::tools
