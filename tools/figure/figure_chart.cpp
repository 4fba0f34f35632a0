// The picture of a figure. See figure_chart.hpp.
#include "tools/figure/figure_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/figure/figure_report.hpp"
#include "tools/text/characters.hpp"
#include "tools/text/svg.hpp"

namespace racksim::tools {
namespace {

constexpr double kWidth = 760, kPlot = 210, kLeft = 70, kRight = 20, kAbove = 26, kBelow = 46, kTop = 34;
constexpr double kLegendLine = 18, kSample = 23, kGap = 18;
constexpr double kCharacter = 7.5;  // most common fonts at 12 pixels are narrower

double width_of(const std::string& text) {
  return kCharacter * static_cast<double>(characters_in(text));
}

/// Values on an axis and where they lie on the paper.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

/// At most about six round numbers between two.
std::vector<double> round_numbers(double low, double high) {
  const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < rough) step = power * factor;
  }
  std::vector<double> numbers;
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + step * 1e-9; ++n)
    numbers.push_back(n * step + 0.0);  // not -0
  return numbers;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, svg_escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n", x1, y1, x2,
                     y2, colour, more);
}

/// What one panel shows: a metric under a criterion, over the whole axis or a part of it.
struct Panel {
  std::size_t metric = 0, criterion = 0;
  double low = 0, high = 1;  // on the x axis
  std::string title;
};

/// Where the values of a sweep stand: in their proportions, unless some would lie on each other; then in their order.
std::vector<double> places_of(const std::vector<SweepPoint>& sweep) {
  std::vector<double> in_proportion, in_order;
  double narrowest = std::abs(sweep.back().x - sweep.front().x);
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    in_proportion.push_back(sweep[i].x);
    in_order.push_back(static_cast<double>(i));
    if (i > 0) narrowest = std::min(narrowest, sweep[i].x - sweep[i - 1].x);
  }
  return narrowest * 40 < sweep.back().x - sweep.front().x ? in_order : in_proportion;
}

class Drawing {
 public:
  Drawing(const Figure& figure, const std::vector<PointResult>& results) : figure_(figure), results_(results) {
    // The legend's lines are as long as there is room.
    double x = kLeft, line = 0;
    for (const std::string& name : figure.axes.series) {
      const double width = kSample + width_of(name);
      if (x > kLeft && x + width > kWidth - kRight) x = kLeft, ++line;
      legend_.emplace_back(x, line * kLegendLine);
      x += width + kGap;
    }
    above_ = kAbove + (line + 1) * kLegendLine;
  }

  std::string draw() {
    std::vector<Panel> panels;
    for (std::size_t m = 0; m < figure_.axes.metrics.size(); ++m) {
      for (std::size_t c = 0; c < figure_.criteria(); ++c) add_panels(panels, m, c);
    }
    const double each = above_ + kPlot + kBelow;
    const double height = kTop + each * static_cast<double>(panels.size());
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"{2}\"/>\n",
        kWidth, height, kSvgPaper);
    const char* legend = figure_.timeline ? " (dashed: not simulated, drawn as measured nearby)" : "";
    svg += text_at(kLeft, 22, "start", figure_.name + ": " + figure_.title + legend);
    for (std::size_t i = 0; i < panels.size(); ++i) {
      svg += panel(panels[i], kTop + each * static_cast<double>(i));
    }
    return svg + "</svg>\n";
  }

 private:
  void add_panels(std::vector<Panel>& panels, std::size_t metric, std::size_t criterion) const {
    std::string title = with_unit(figure_, metric);
    if (figure_.knee) title += " at the knee, " + figure_.knee->criteria[criterion].name;
    if (is_nought(metric, criterion)) return;
    if (!figure_.timeline) {
      const std::vector<double> places = places_of(figure_.axes.sweep);
      panels.push_back({metric, criterion, places.front(), places.back(), std::move(title)});
      return;
    }
    if (is_of_whole_runs(figure_, results_, metric)) return;
    const auto& windows = figure_.timeline->windows;
    panels.push_back({metric, criterion, windows.front().from, windows.back().to, title});
    if (const auto& zoom = figure_.timeline->zoom) {
      panels.push_back({metric, criterion, zoom->first, zoom->second, std::move(title)});
    }
  }

  /// Whether there is nothing to see: no value, or noughts alone.
  bool is_nought(std::size_t metric, std::size_t criterion) const {
    const FigureValues values = values_under(figure_, results_, criterion);
    return std::all_of(values.of.begin(), values.of.end(), [metric](const auto& series) {
      return std::all_of(series.begin(), series.end(),
                         [metric](const auto& point) { return point[metric] == 0 || !std::isfinite(point[metric]); });
    });
  }

  std::string panel(const Panel& panel, double top) const {
    const FigureValues values = values_under(figure_, results_, panel.criterion);
    double most = 0, least = 0;
    for (const auto& series : values.of) {
      for (const auto& point : series) {
        const double y = point[panel.metric];
        if (!std::isfinite(y)) continue;
        most = std::max(most, y);
        least = std::min(least, y);
      }
    }
    if (most == least) most = least + 1;
    const double room = panel.high > panel.low ? 0 : 1;  // of a sweep with one value
    const Scale x{panel.low - room, panel.high + room, kLeft, kWidth - kRight};
    const Scale y{least, most * 1.05, top + above_ + kPlot, top + above_};
    std::string svg = text_at(kLeft, top + 16, "start", panel.title);
    svg += axes(panel, x, y);
    for (std::size_t s = 0; s < values.of.size(); ++s) {
      const char* colour = kSvgColours[s % kSvgColours.size()];
      const auto [left, down] = legend_[s];
      svg += line(left, top + 30 + down, left + 18, top + 30 + down, colour, "stroke-width=\"2\"");
      svg += text_at(left + kSample, top + 34 + down, "start", figure_.axes.series[s]);
      svg += figure_.timeline ? steps(panel, values.of[s], x, y, colour) : curve(panel, values.of[s], x, y, colour);
    }
    return svg;
  }

  std::string axes(const Panel& panel, const Scale& x, const Scale& y) const {
    std::string svg;
    for (const double number : round_numbers(y.low, y.high)) {
      svg += line(x.from, y.at(number), x.to, y.at(number), "#ddd");
      svg += text_at(x.from - 6, y.at(number) + 4, "end", short_number(number));
    }
    double written = 0;
    const auto mark = [&](double value, const std::string& label) {
      svg += line(x.at(value), y.from, x.at(value), y.from + 4, kSvgGrey);
      const double half = width_of(label) / 2;
      if (x.at(value) - half < written) return;  // it would lie on the one before
      written = x.at(value) + half;
      svg += text_at(x.at(value), y.from + 17, "middle", label);
    };
    if (figure_.timeline) {
      for (const double number : round_numbers(panel.low, panel.high)) mark(number, fmt::format("{:.7g}", number));
    } else {
      const std::vector<double> places = places_of(figure_.axes.sweep);
      for (std::size_t i = 0; i < places.size(); ++i) mark(places[i], figure_.axes.sweep[i].label);
    }
    svg += line(x.from, y.from, x.to, y.from, kSvgGrey) + line(x.from, y.from, x.from, y.to, kSvgGrey);
    return svg + text_at((x.from + x.to) / 2, y.from + 35, "middle", figure_.sweep_label);
  }

  std::string curve(const Panel& panel, const std::vector<std::vector<double>>& series, const Scale& x, const Scale& y,
                    const char* colour) const {
    const std::vector<double> places = places_of(figure_.axes.sweep);
    std::string points, marks;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double value = series[i][panel.metric];
      if (!std::isfinite(value)) continue;
      points += fmt::format("{:.1f},{:.1f} ", x.at(places[i]), y.at(value));
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x.at(places[i]), y.at(value),
                           colour);
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", points, colour) +
           marks;
  }

  std::string steps(const Panel& panel, const std::vector<std::vector<double>>& series, const Scale& x, const Scale& y,
                    const char* colour) const {
    std::string svg;
    double before = std::nan("");
    for (std::size_t i = 0; i < series.size(); ++i) {
      const TimeWindow& window = figure_.timeline->windows[i];
      const double value = series[i][panel.metric];
      const double from = std::max(window.from, panel.low), to = std::min(window.to, panel.high);
      if (from >= to || !std::isfinite(value)) continue;
      if (std::isfinite(before)) svg += line(x.at(from), y.at(before), x.at(from), y.at(value), colour);
      svg += line(x.at(from), y.at(value), x.at(to), y.at(value), colour,
                  window.drawn ? "stroke-width=\"1.5\" stroke-dasharray=\"5 4\"" : "stroke-width=\"2\"");
      before = value;
    }
    return svg;
  }

  const Figure& figure_;
  const std::vector<PointResult>& results_;
  std::vector<std::pair<double, double>> legend_;  // of each series, from the left and below the first line
  double above_ = 0;                               // of a panel's plot: title and legend
};

}  // namespace

std::string figure_svg(const Figure& figure, const std::vector<PointResult>& results) {
  return Drawing(figure, results).draw();
}

}  // namespace racksim::tools
