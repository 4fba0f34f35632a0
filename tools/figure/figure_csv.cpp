// See figure_csv.hpp.
#include "tools/figure/figure_csv.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string_view>

#include "tools/figure/figure_spread.hpp"
#include "tools/text/csv_field.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kSeed = "seed";

/// A metric's column, or that of what it comes to over seeds or placements: "throughput mean [Mops]". A unit that the
/// metric's own name ends with is not told twice.
std::string column_name(const Figure& figure, std::size_t metric, const std::string& of = "") {
  std::string name = figure.axes.metrics[metric];
  const std::string unit = metric < figure.metric_units.size() ? figure.metric_units[metric] : "";
  if (unit.empty()) return name + of;
  const std::string in_brackets = " (" + unit + ")";
  if (name.ends_with(in_brackets)) name.erase(name.size() - in_brackets.size());
  return fmt::format("{}{} [{}]", name, of, unit);
}

class FigureCsv {
 public:
  FigureCsv(const Figure& figure, const std::vector<PointResult>& results)
      : figure_(figure), results_(results), spread_(figure.repeats.count() > 1) {
    for (std::size_t c = 0; spread_ && c < figure.criteria(); ++c) spreads_.emplace_back(figure, results, c);
  }

  std::string text() {
    header();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      for (std::size_t window = 0; window < figure_.windows(); ++window) row(i, window);
    }
    return std::move(text_);
  }

 private:
  bool has_placements() const { return !figure_.repeats.placements.empty(); }
  /// Where x is the seed it is told once.
  bool has_seeds() const { return figure_.sweep_label != kSeed; }

  void header() {
    text_ = csv_field(figure_.sweep_label.empty() ? "x" : figure_.sweep_label);
    if (figure_.timeline) text_ += ",until,origin";
    text_ += ",series";
    if (figure_.knee) text_ += ",criterion";
    if (has_seeds()) text_ += fmt::format(",{}", kSeed);
    if (has_placements()) text_ += ",placement";
    const std::size_t metrics = figure_.axes.metrics.size();
    for (std::size_t m = 0; m < metrics; ++m) text_ += "," + csv_field(column_name(figure_, m));
    for (std::size_t m = 0; spread_ && m < metrics; ++m) {
      for (const char* of : {" mean", " half_width", " least", " most"})
        text_ += "," + csv_field(column_name(figure_, m, of));
    }
    text_ += ",verdict,run_hash,command\n";
  }

  void row(std::size_t result, std::size_t window) {
    const FigurePoint& point = figure_.points[result / figure_.criteria()];
    const std::size_t metrics = figure_.axes.metrics.size(), criterion = result % figure_.criteria();
    text_ += csv_field(figure_.axes.sweep[point.sweep + window].label);
    if (figure_.timeline) {
      const TimeWindow& at = figure_.timeline->windows[window];
      text_ += fmt::format(",{:.10g},{}", at.to, at.drawn ? "drawn" : "simulated");
    }
    text_ += "," + csv_field(figure_.axes.series[point.series]);
    if (figure_.knee) text_ += "," + csv_field(figure_.knee->criteria[criterion].name);
    if (has_seeds() && figure_.repeats.seeds.empty()) text_ += fmt::format(",{}", point.scenario.seed);
    for (const Repeats::Setting& setting : figure_.repeats.of_run(point.repeat)) {
      if (has_seeds() || setting.word != std::string_view(kSeed)) text_ += fmt::format(",{}", setting.value);
    }
    for (std::size_t m = 0; m < metrics; ++m) {
      const double value = results_[result].values[window * metrics + m];
      text_ += std::isnan(value) ? "," : fmt::format(",{}", value);
    }
    for (std::size_t m = 0; spread_ && m < metrics; ++m) {
      const Spread over = spreads_[criterion].of(point.series, point.sweep + window, m);
      // A mean is no more exact.
      for (const double value : {over.mean, over.half_width, over.least, over.most})
        text_ += std::isnan(value) ? "," : fmt::format(",{:.12g}", value);
    }
    text_ += fmt::format(",{},{},{}\n", results_[result].verdict(), results_[result].hash,
                         csv_field(figure_.command_of(point, results_[result].load)));
  }

  const Figure& figure_;
  const std::vector<PointResult>& results_;
  bool spread_;
  std::vector<Spreads> spreads_;  // by criterion
  std::string text_;
};

}  // namespace

std::string figure_csv(const Figure& figure, const std::vector<PointResult>& results) {
  return FigureCsv(figure, results).text();
}

}  // namespace racksim::tools
