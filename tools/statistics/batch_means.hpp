// An interval from one run: its values over time, gathered into batches so long that the means of neighbours are no longer
// correlated, and are then judged as independent ones. Batches are doubled until von Neumann's ratio finds no correlation.
// (Law and Kelton, "Simulation Modeling and Analysis"; Fishman, "Grouping Observations in Digital Simulation", 1978.)
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace racksim::tools {

/// A piece of a series: the batch's value is its sum over its weight (the latencies of some operations over their number,
/// a number of operations over a time).
struct SeriesPiece {
  double sum = 0, weight = 0;
};

/// Fewer batches tell too little of their correlation.
inline constexpr std::size_t kFewestBatches = 10;

struct BatchMeans {
  std::size_t batches = 0;
  double mean = 0;          ///< all sums over all weights
  double correlation = 0;   ///< of neighbouring batches, at a lag of one
  bool correlated = false;  ///< still, with as few batches as may be: then there is no interval
  std::optional<double> half_width;
};

/// Of a series in the steady state. None if it is too short: fewer than kFewestBatches pieces, or so many batches of it
/// would not all have a weight.
std::optional<BatchMeans> batch_means(std::vector<SeriesPiece> series);

/// The correlation of neighbours by von Neumann's ratio, from -1 to 1; 0 of equal values. Needs three values.
double lag_one_correlation(const std::vector<double>& values);
/// Whether it is so high as it is in one of 20 series that are independent (one-sided, by the normal approximation).
bool is_correlated(double correlation, std::size_t count);

}  // namespace racksim::tools
