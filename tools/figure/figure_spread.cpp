// See figure_spread.hpp.
#include "tools/figure/figure_spread.hpp"

#include <cmath>

#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {

FigureValues values_under(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion,
                          std::optional<std::size_t> sample) {
  FigureValues values;
  values.of.resize(figure.axes.series.size());
  for (auto& series : values.of) {
    series.assign(figure.axes.sweep.size(), std::vector<double>(figure.axes.metrics.size(), 0.0));
  }
  if (!figure.timeline) {
    values.runs.assign(figure.axes.series.size(), std::vector<std::string>(figure.axes.sweep.size()));
  }
  const std::size_t runs = figure.repeats.runs() / (sample ? figure.repeats.count() : 1);
  const double share = 1.0 / static_cast<double>(runs);
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const FigurePoint& point = figure.points[i];
    if (sample && figure.repeats.sample_of(point.repeat) != *sample) continue;
    const PointResult& result = results[i * figure.criteria() + criterion];
    const std::vector<double>& from = result.values;
    if (!figure.timeline) values.runs[point.series][point.sweep] += result.hash + ' ';
    for (std::size_t window = 0; window < figure.windows(); ++window) {
      std::vector<double>& to = values.of[point.series][point.sweep + window];
      for (std::size_t m = 0; m < to.size(); ++m) to[m] += share * from[window * to.size() + m];
    }
  }
  return values;
}

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
