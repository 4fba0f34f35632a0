// See figure_comparisons.hpp.
#include "tools/figure/figure_comparisons.hpp"

#include <fmt/core.h>

#include <cmath>

#include "tools/experiment/metric_change.hpp"
#include "tools/figure/figure_report.hpp"
#include "tools/figure/figure_spread.hpp"
#include "tools/seeds/interval_text.hpp"
#include "tools/seeds/seed_report.hpp"
#include "tools/text/columns.hpp"
#include "tools/text/csv_field.hpp"

namespace racksim::tools {
namespace {

using Samples = std::vector<FigureValues>;

Samples samples_of(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion) {
  Samples samples;
  for (std::size_t i = 0; i < figure.repeats.count(); ++i) {
    samples.push_back(values_under(figure, results, criterion, i));
  }
  return samples;
}

/// Compares all series at one point.
void compare_at(const Samples& samples, SeriesComparison comparison, std::vector<SeriesComparison>& all) {
  const std::size_t begin = all.size(), series = samples.front().of.size();
  std::vector<double> probabilities;
  for (comparison.series = 1; comparison.series < series; ++comparison.series) {
    std::vector<double> first, own;
    for (const FigureValues& values : samples) {
      const double of_first = values.of[0][comparison.x][comparison.metric];
      const double of_own = values.of[comparison.series][comparison.x][comparison.metric];
      if (!std::isfinite(of_first) || !std::isfinite(of_own)) continue;
      first.push_back(of_first);
      own.push_back(of_own);
    }
    if (first.empty()) continue;
    comparison.first = *mean_interval(first);
    comparison.own = *mean_interval(own);
    comparison.pairs = *compare_pairs(first, own);
    const MeanInterval& difference = comparison.pairs.difference;
    const bool equal = difference.least == 0 && difference.most == 0;
    comparison.corrected = equal ? std::nullopt : comparison.pairs.probability;
    if (comparison.corrected) probabilities.push_back(*comparison.corrected);
    all.push_back(comparison);
  }
  const std::vector<double> corrected = holm_adjusted(probabilities);
  std::size_t next = 0;
  for (std::size_t i = begin; i < all.size(); ++i) {
    if (all[i].corrected) all[i].corrected = corrected[next++];
  }
}

std::string place_text(const Figure& figure, const SeriesComparison& comparison) {
  return comparison.whole ? "whole run" : x_text(figure, comparison.x);
}

std::string mean_text(const MeanInterval& interval, const SeriesComparison& comparison) {
  return fmt::format("{:.{}f}", interval.mean, decimals_for(interval.mean, comparison.pairs.difference.half_width));
}

}  // namespace

bool can_compare_series(const Figure& figure) {
  return figure.repeats.count() > 1 && figure.axes.series.size() > 1;
}

std::vector<SeriesComparison> compare_series(const Figure& figure, const std::vector<PointResult>& results) {
  std::vector<SeriesComparison> all;
  if (!can_compare_series(figure)) return all;
  std::vector<Samples> samples;
  for (std::size_t c = 0; c < figure.criteria(); ++c) samples.push_back(samples_of(figure, results, c));
  SeriesComparison at;
  for (at.metric = 0; at.metric < figure.axes.metrics.size(); ++at.metric) {
    at.whole = is_of_whole_runs(figure, results, at.metric);
    for (at.criterion = 0; at.criterion < figure.criteria(); ++at.criterion) {
      for (at.x = 0; at.x < (at.whole ? 1 : figure.axes.sweep.size()); ++at.x) {
        compare_at(samples[at.criterion], at, all);
      }
    }
  }
  return all;
}

std::string comparisons_csv(const Figure& figure, const std::vector<SeriesComparison>& comparisons) {
  std::string text = "metric,unit," + std::string(figure.knee ? "criterion," : "") +
                     csv_field(figure.sweep_label.empty() ? "x" : figure.sweep_label) +
                     ",series,against,mean,mean_against,difference,half_width,pairs,probability,corrected,differs\n";
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.12g}", *value) : ""; };
  for (const SeriesComparison& one : comparisons) {
    text += csv_field(figure.axes.metrics[one.metric]) + ',' + csv_field(figure.metric_units[one.metric]) + ',';
    if (figure.knee) text += csv_field(figure.knee->criteria[one.criterion].name) + ',';
    text += csv_field(place_text(figure, one)) + ',' + csv_field(figure.axes.series[one.series]) + ',' +
            csv_field(figure.axes.series[0]) + ',';
    text += fmt::format("{},{},{},{},{},{},{},{}\n", number(one.own.mean), number(one.first.mean),
                        number(one.pairs.difference.mean), number(one.pairs.difference.half_width),
                        one.pairs.difference.count, number(one.pairs.probability), number(one.corrected),
                        one.differs() ? "yes" : "no");
  }
  return text;
}

std::string comparisons_text(const Figure& figure, const std::vector<SeriesComparison>& comparisons) {
  std::string text =
      fmt::format("\nagainst {}, paired by {}; series at a point are judged together (Holm's correction, {:.0f} %)\n",
                  figure.axes.series[0], figure.repeats.sample_word(), kSignificance * 100);
  for (std::size_t i = 0; i < comparisons.size();) {
    const SeriesComparison& first = comparisons[i];
    text += "\n" + with_unit(figure, first.metric);
    if (figure.knee) text += " at the knee, " + figure.knee->criteria[first.criterion].name;
    text += '\n';
    std::vector<std::vector<std::string>> rows{
        {"  " + figure.sweep_label, "series", figure.axes.series[0], "own", "difference ± 95 %", "change", "judged"}};
    const auto same_table = [&](const SeriesComparison& other) {
      return other.metric == first.metric && other.criterion == first.criterion;
    };
    for (; i < comparisons.size() && same_table(comparisons[i]); ++i) {
      const SeriesComparison& one = comparisons[i];
      rows.push_back({"  " + place_text(figure, one), figure.axes.series[one.series], mean_text(one.first, one),
                      mean_text(one.own, one), interval_text(one.pairs.difference),
                      change_text(one.first.mean, one.own.mean), finding_text(one.pairs, one.corrected)});
    }
    text += in_columns(rows);
  }
  return text;
}

JsonValue comparisons_json(const Figure& figure, const std::vector<SeriesComparison>& comparisons) {
  return array_of(comparisons, [&](const SeriesComparison& one) {
    auto json = JsonValue::object({{"metric", figure.axes.metrics[one.metric]}, {"x", place_text(figure, one)}});
    if (figure.knee) json.set("criterion", figure.knee->criteria[one.criterion].name);
    json.set("series", figure.axes.series[one.series]);
    json.set("against", figure.axes.series[0]);
    add_comparison(json, one.pairs, one.corrected);
    return json;
  });
}

}  // namespace racksim::tools
