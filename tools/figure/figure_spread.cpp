// See figure_spread.hpp.
#include "tools/figure/figure_spread.hpp"

#include <cmath>

#include "tools/figure/figure_report.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {

Spreads::Spreads(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion)
    : mean_(values_under(figure, results, criterion)) {
  for (std::size_t repeat = 0; repeat < figure.repeats.count(); ++repeat) {
    each_.push_back(values_under(figure, results, criterion, repeat));
  }
}

Spread Spreads::of(std::size_t series, std::size_t x, std::size_t metric) const {
  const double mean = mean_.of[series][x][metric];
  if (!std::isfinite(mean)) return {mean, mean, mean, std::nan("")};
  std::vector<double> values;
  for (const FigureValues& one : each_) values.push_back(one.of[series][x][metric]);
  const MeanInterval interval = *mean_interval(values);
  return {mean, interval.least, interval.most, interval.half_width.value_or(std::nan(""))};
}

}  // namespace racksim::tools
