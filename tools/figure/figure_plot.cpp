// See figure_plot.hpp.
#include "tools/figure/figure_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/figure/figure_report.hpp"
#include "tools/figure/figure_spread.hpp"
#include "tools/plot/plot_ticks.hpp"
#include "tools/plot/time_unit.hpp"

namespace racksim::tools {
namespace {

/// Claims that are begun so are this project's own, of no paper.
constexpr const char* kOwnClaim = "own/";

/// The one point of one series that a reading is the value of, or all points of one series.
const Reading* series_in(const Reading& reading) {
  using Operator = Reading::Operator;
  if (reading.op == Operator::series) return &reading;
  // A single point is an extreme of itself (figure_reading.cpp).
  const bool of_one = reading.op == Operator::max || reading.op == Operator::min || reading.op == Operator::mean;
  if (!of_one || reading.operands[0].op != Operator::series || reading.operands[0].points.size() != 1) return nullptr;
  return &reading.operands[0];
}

/// What the paper's claims state of a metric's values.
std::vector<PlotMark> marks_of(const Figure& figure, std::size_t metric) {
  std::vector<PlotMark> marks;
  for (const Claim& claim : figure.claims) {
    const bool value =
        !claim.directional() && claim.paper.min && claim.paper.max && *claim.paper.min == *claim.paper.max;
    if (!value || claim.id.starts_with(kOwnClaim)) continue;
    for (const Reading& reading : claim.readings) {
      const Reading* series = series_in(reading);
      if (!series || series->metric != metric) continue;
      for (const std::size_t point : series->points) {
        marks.push_back({series->series, figure.axes.sweep[point].x, *claim.paper.min});
      }
    }
  }
  return marks;
}

/// A mean with its error bar: the 95 % interval over seeds or placements; none of a single value.
PlotPoint point_of(double x, const Spread& spread) {
  const double half_width = std::isnan(spread.half_width) ? 0 : spread.half_width;
  return {x, spread.mean, spread.mean - half_width, spread.mean + half_width};
}

class FigurePlot {
 public:
  FigurePlot(const Figure& figure, const std::vector<PointResult>& results) : figure_(figure), results_(results) {}

  Plot plot() {
    plot_.title = figure_.title.empty() ? figure_.name : figure_.name + ": " + figure_.title;
    plot_.x_label = figure_.sweep_label;
    plot_.series = figure_.axes.series;
    if (figure_.knee) add_criteria();
    if (!figure_.timeline) add_places();
    for (std::size_t m = 0; m < figure_.axes.metrics.size(); ++m) {
      if (figure_.timeline) {
        add_levels(m);
      } else {
        add_points(m);
      }
    }
    return std::move(plot_);
  }

 private:
  void add_places() {
    plot_.x_scale = figure_.x_scale;
    for (const SweepPoint& point : figure_.axes.sweep) {
      // A number with its prefix; a name as it is.
      const bool number = point.label == fmt::format("{}", point.x);
      plot_.joined = plot_.joined && number;
      plot_.places.push_back({point.x, number ? tick_label(point.x) : point.label});
    }
    if (plot_.places.size() > 1) return;
    plot_.joined = false;
    plot_.x_scale = PlotScale::categories;
  }

  /// Each series under each criterion of a knee, in one colour.
  void add_criteria() {
    const auto& criteria = figure_.knee->criteria;
    std::string losses;
    for (const KneeCriterion& at : criteria) {
      const std::string name = criteria.size() > 1 ? at.name + ", " : "";
      losses += fmt::format("{}{}at most {:.3g} % lost", losses.empty() ? "" : "; ", name, at.loss * 100);
    }
    plot_.title += " (at the knee: " + losses + ")";
    if (criteria.size() == 1) return;
    plot_.series.clear();
    for (std::size_t s = 0; s < figure_.axes.series.size(); ++s) {
      for (const KneeCriterion& at : criteria) {
        plot_.series.push_back(figure_.axes.series[s] + ", " + at.name);
        plot_.colours.push_back(s);
      }
    }
  }

  PlotPanel panel_of(std::size_t metric) const {
    PlotPanel panel;
    if (figure_.logarithmic.contains(metric)) panel.y_scale = PlotScale::log;
    return panel;
  }

  /// Nothing is to be seen where there is no value, or noughts alone.
  static bool is_nought(const PlotPanel& panel) {
    const auto nought = [](const auto& value) { return value.y == 0 || !std::isfinite(value.y); };
    return std::all_of(panel.curves.begin(), panel.curves.end(), [&](const PlotCurve& curve) {
      return std::all_of(curve.points.begin(), curve.points.end(), nought) &&
             std::all_of(curve.levels.begin(), curve.levels.end(), nought);
    });
  }

  void add(PlotPanel panel, std::size_t metric) {
    if (is_nought(panel)) return;
    const std::string& name = figure_.axes.metrics[metric];
    const std::string label = with_unit(figure_, metric);  // a name may have its unit already
    name_y_axis(panel, label == name ? label : name, label == name ? "" : figure_.metric_units[metric]);
    plot_.panels.push_back(std::move(panel));
  }

  /// Series by series, under each criterion.
  void add_points(std::size_t metric) {
    PlotPanel panel = panel_of(metric);
    const std::size_t criteria = figure_.criteria();
    panel.curves.resize(plot_.series.size());
    for (std::size_t c = 0; c < criteria; ++c) {
      const Spreads spreads(figure_, results_, c);
      for (std::size_t s = 0; s < figure_.axes.series.size(); ++s) {
        for (std::size_t x = 0; x < figure_.axes.sweep.size(); ++x) {
          panel.curves[s * criteria + c].points.push_back(point_of(figure_.axes.sweep[x].x, spreads.of(s, x, metric)));
        }
      }
    }
    panel.marks = marks_of(figure_, metric);
    // What the paper prints is judged under the last criterion (figure_report.hpp).
    for (PlotMark& mark : panel.marks) mark.series = mark.series * criteria + criteria - 1;
    add(std::move(panel), metric);
  }

  void add_levels(std::size_t metric) {
    if (is_of_whole_runs(figure_, results_, metric)) return;
    PlotPanel panel = panel_of(metric);
    const FigureValues values = values_under(figure_, results_, 0);
    const auto& windows = figure_.timeline->windows;
    for (const auto& series : values.of) {
      PlotCurve& curve = panel.curves.emplace_back();
      for (std::size_t i = 0; i < windows.size(); ++i) {
        curve.levels.push_back({windows[i].from, windows[i].to, series[i][metric], windows[i].drawn});
      }
    }
    panel.x_range.emplace(windows.front().from, windows.back().to);
    add(panel, metric);
    if (!figure_.timeline->zoom) return;
    panel.x_range = *figure_.timeline->zoom;
    panel.title = "a part of it";
    add(std::move(panel), metric);
  }

  const Figure& figure_;
  const std::vector<PointResult>& results_;
  Plot plot_;
};

}  // namespace

Plot figure_plot(const Figure& figure, const std::vector<PointResult>& results) {
  return FigurePlot(figure, results).plot();
}

}  // namespace racksim::tools
