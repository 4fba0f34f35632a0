// See cumulative_plot.hpp.
#include "tools/plot/cumulative_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tools/json/input_error.hpp"
#include "tools/plot/plot_scale.hpp"
#include "tools/plot/run_reports.hpp"
#include "tools/plot/text_order.hpp"
#include "tools/plot/time_unit.hpp"
#include "tools/text/csv_field.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

/// Buckets that end where each other ends are one.
std::vector<CountedBucket> merged(const std::vector<CountedBucket>& buckets) {
  std::map<double, CountedBucket> by_end;
  for (const CountedBucket& one : buckets) {
    CountedBucket& bucket = by_end.emplace(one.until, CountedBucket{one.from, one.until, 0}).first->second;
    bucket.from = std::min(bucket.from, one.from);
    bucket.count += one.count;
  }
  std::vector<CountedBucket> in_order;
  for (const auto& [end, bucket] : by_end) in_order.push_back(bucket);
  return in_order;
}

/// From the least to the most of all buckets.
std::pair<double, double> ends_of(const std::vector<std::vector<CountedBucket>>& curves, bool above_nought) {
  double low = INFINITY, high = 0;
  for (const auto& buckets : curves) {
    for (const CountedBucket& bucket : buckets) {
      low = std::min(low, above_nought && bucket.from <= 0 ? bucket.until : bucket.from);
      high = std::max(high, bucket.until);
    }
  }
  return {low, high};
}

/// The part of the axis that has them, with room beside them; on a logarithmic one it begins above 0.
std::pair<double, double> range_of(const std::vector<std::vector<CountedBucket>>& curves, PlotScale scale) {
  const auto [low, high] = ends_of(curves, scale == PlotScale::log);
  if (scale == PlotScale::log) {
    const double room = std::max(std::pow(high / low, 0.04), 1.01);
    return {low / room, high * room};
  }
  const double room = (high - low) * 0.04;
  return {std::max(low - room, 0.0), high + room};
}

PlotScale scale_of(const std::string& name, const std::vector<std::vector<CountedBucket>>& curves) {
  const auto [low, high] = ends_of(curves, false);
  if (name.empty()) return low > 0 && high > 20 * low ? PlotScale::log : PlotScale::linear;
  const JsonLocation place{kPlotCommand, "--scale"};
  const PlotScale scale = scale_named(name, place, {}, false);
  if (scale == PlotScale::categories) place.refuse(quote(name) + " for durations", one_of(value_scale_names()));
  return scale;
}

std::vector<CountedBucket> read_buckets(const JsonValue& histogram, const JsonLocation& place) {
  const auto* list = histogram.elements();
  if (!list) place.refuse(histogram.description(), "an array of [from, until, count]");
  std::vector<CountedBucket> buckets;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* parts = (*list)[i].elements();
    const auto number = [&](std::size_t part) {
      const auto value = parts && parts->size() == 3 ? (*parts)[part].number() : std::nullopt;
      if (!value || *value < 0) place.element(i).refuse((*list)[i].description(), "[from, until, count], from 0 on");
      return *value;
    };
    const CountedBucket bucket{number(0), number(1), number(2)};
    if (bucket.until <= bucket.from) place.element(i).refuse("a bucket that ends where it begins", "from below until");
    if (bucket.count > 0) buckets.push_back(bucket);
  }
  return buckets;
}

[[noreturn]] void refuse_metric(const std::string& metric, std::size_t reports, bool is_known,
                                const std::set<std::string>& names) {
  if (is_known) {
    throw InputError(kPlotCommand, "--cdf",
                     fmt::format("nothing in {} of {}", quote(metric), counted(reports, "result")),
                     "results in which it has recorded something");
  }
  const std::vector<std::string> known(names.begin(), names.end());
  throw InputError(kPlotCommand, "--cdf", quote(metric), one_of(known), nearest_name(metric, known));
}

}  // namespace

ResultPlot cumulative_plot(const std::string& name, const std::string& metric,
                           const std::vector<CumulativeCurve>& curves, const std::string& scale) {
  ResultPlot result;
  std::vector<std::vector<CountedBucket>> all;
  for (const CumulativeCurve& curve : curves) all.push_back(merged(curve.buckets));
  Plot& plot = result.plot;
  plot.x_scale = scale_of(scale, all);
  PlotPanel& panel = plot.panels.emplace_back();
  panel.x_range = range_of(all, plot.x_scale);
  panel.y_scale = PlotScale::tail;
  panel.y_label = "share of records up to x";
  const TimeUnit unit = time_unit_for(panel.x_range->second);
  plot.title = fmt::format("{}: {}, cumulative", name, metric);
  plot.x_label = fmt::format("{} ({})", metric, unit.name);
  plot.x_per_unit = unit.ns;
  result.csv = "from [ns],until [ns],series,results,count,share\n";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const CumulativeCurve& curve = curves[c];
    double whole = 0, below = 0;
    for (const CountedBucket& bucket : all[c]) whole += bucket.count;
    plot.series.push_back(curve.series);
    result.results += curve.results;
    auto& levels = panel.curves.emplace_back().levels;
    for (const CountedBucket& bucket : all[c]) {
      levels.push_back({levels.empty() ? bucket.from : levels.back().to, bucket.until, below / whole, false});
      below += bucket.count;
      result.csv += fmt::format("{},{},{},{},{},{:.12g}\n", bucket.from, bucket.until, csv_field(curve.series),
                                curve.results, bucket.count, below / whole);
      ++result.points;
    }
    levels.push_back({levels.back().to, levels.back().to, 1, false});
  }
  return result;
}

ResultPlot cumulative_plot_of(const std::vector<std::string>& paths, const std::string& metric,
                              const std::vector<std::string>& by, const std::string& scale) {
  const auto files = report_files(paths, "reports of runs, or folders with such");
  ReportSeries series(by, metric);
  std::map<std::string, CumulativeCurve> curves;
  std::set<std::string> names;
  std::size_t empty = 0;
  bool is_known = false;
  for (const auto& file : files) {
    const RunReport report = read_run_report(file);
    const JsonValue* histograms = report.document.find("histograms");
    const JsonValue* histogram = histograms ? histograms->find(metric) : nullptr;
    if (histograms && histograms->members()) {
      for (const auto& [name, buckets] : *histograms->members()) names.insert(name);
    }
    const JsonValue* statistics = report.document.find("metrics")->find(metric);
    is_known = is_known || histogram || (statistics && statistics->find("p50"));
    const JsonLocation place{file.string(), "/histograms"};
    const auto buckets = histogram ? read_buckets(*histogram, place.member(metric)) : std::vector<CountedBucket>{};
    if (buckets.empty()) {
      ++empty;
      continue;
    }
    const std::string name = series.add(report);
    CumulativeCurve& curve = curves[name];
    curve.series = name;
    ++curve.results;
    curve.buckets.insert(curve.buckets.end(), buckets.begin(), buckets.end());
  }
  if (curves.empty()) refuse_metric(metric, files.size(), is_known, names);
  std::vector<CumulativeCurve> in_order_of_names;
  for (const std::string& name : series.names()) in_order_of_names.push_back(std::move(curves[name]));
  ResultPlot result = cumulative_plot(word_of_results(paths.front()), metric, in_order_of_names, scale);
  result.results = files.size();
  if (empty > 0) {
    result.notes.push_back(
        fmt::format("{} of {} left out: nothing in {}", empty, counted(files.size(), "result"), metric));
  }
  for (std::string& note : series.notes()) result.notes.push_back(std::move(note));
  return result;
}

}  // namespace racksim::tools
