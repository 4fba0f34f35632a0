// See batch_means.hpp.
#include "tools/statistics/batch_means.hpp"

#include <algorithm>
#include <cmath>

#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {
namespace {

/// What the standard normal distribution stays below in 19 of 20 cases.
constexpr double kOneInTwenty = 1.6448536269514722;

bool all_weigh(const std::vector<SeriesPiece>& pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [](const SeriesPiece& piece) { return piece.weight > 0; });
}

/// Neighbours as one; a last one without a neighbour goes to the one before it.
std::vector<SeriesPiece> in_pairs(const std::vector<SeriesPiece>& pieces) {
  std::vector<SeriesPiece> pairs(pieces.size() / 2);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    SeriesPiece& pair = pairs[std::min(i / 2, pairs.size() - 1)];
    pair.sum += pieces[i].sum;
    pair.weight += pieces[i].weight;
  }
  return pairs;
}

std::vector<double> values_of(const std::vector<SeriesPiece>& pieces) {
  std::vector<double> values;
  for (const SeriesPiece& piece : pieces) values.push_back(piece.sum / piece.weight);
  return values;
}

}  // namespace

double lag_one_correlation(const std::vector<double>& values) {
  const auto interval = mean_interval(values);
  if (!interval || interval->equal()) return 0;
  double squares = 0, steps = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - interval->mean) * (values[i] - interval->mean);
    if (i > 0) steps += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
  }
  return 1 - steps / (2 * squares);
}

bool is_correlated(double correlation, std::size_t count) {
  const auto n = static_cast<double>(count);
  return correlation > kOneInTwenty * std::sqrt((n - 2) / (n * n - 1));
}

std::optional<BatchMeans> batch_means(std::vector<SeriesPiece> series) {
  while (series.size() >= 2 * kFewestBatches && !all_weigh(series)) series = in_pairs(series);
  if (series.size() < kFewestBatches || !all_weigh(series)) return std::nullopt;
  SeriesPiece all;
  for (const SeriesPiece& piece : series) {
    all.sum += piece.sum;
    all.weight += piece.weight;
  }
  while (true) {
    const std::vector<double> values = values_of(series);
    BatchMeans result{.batches = values.size(), .mean = all.sum / all.weight, .half_width = {}};
    result.correlation = lag_one_correlation(values);
    result.correlated = is_correlated(result.correlation, values.size());
    if (!result.correlated) result.half_width = mean_interval(values)->half_width;
    if (!result.correlated || series.size() < 2 * kFewestBatches) return result;
    series = in_pairs(series);
  }
}

}  // namespace racksim::tools
