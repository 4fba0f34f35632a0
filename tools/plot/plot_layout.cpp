// See plot_layout.hpp.
#include "tools/plot/plot_layout.hpp"

#include <algorithm>
#include <cmath>

#include "tools/plot/text_width.hpp"

namespace racksim::tools {
namespace {

constexpr double kFrameHeight = 104, kRight = 10, kGap = 7;
constexpr double kToTickLabel = 6;  // gnuplot's distance from an axis to its labels, and a little
constexpr double kTickLine = 12;    // the line height of those that have several: as SVG sets them
constexpr double kSample = 20, kSampleGap = 4, kEntryGap = 10;

double height_of(const std::vector<std::string>& lines) {
  return kLineHeight * static_cast<double>(lines.size());
}

std::vector<std::string> lines_of(const std::string& text, double width) {
  return text.empty() ? std::vector<std::string>{} : wrapped(text, width);
}

/// Entries from left to right, those that do not fit below; moves `y` to below the last.
std::vector<LegendEntry> legend_of(const Plot& plot, double& y) {
  constexpr double kRoom = kPlotWidth - 2 * kPlotMargin - kSample - kSampleGap;
  std::vector<LegendEntry> entries;
  const auto add = [&](LegendEntry::Kind kind, std::size_t series, const std::string& name) {
    entries.push_back({kind, series, wrapped(name, kRoom), 0, 0, 0, 0});
  };
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    if (has_values(plot, s)) add(LegendEntry::Kind::series, s, plot.series[s]);
  }
  if (has_marks(plot)) add(LegendEntry::Kind::mark, 0, "paper");
  if (has_assumed_levels(plot)) add(LegendEntry::Kind::assumed, 0, "thin: not simulated, drawn as measured nearby");
  double x = kPlotMargin, row = 0;
  for (LegendEntry& entry : entries) {
    const double width = kSample + kSampleGap + widest(entry.lines);
    if (x > kPlotMargin && x + width > kPlotWidth - kPlotMargin) {
      x = kPlotMargin;
      y += row;
      row = 0;
    }
    entry.sample_from = x;
    entry.sample_to = x + kSample;
    entry.text = x + kSample + kSampleGap;
    entry.y = y + kLineHeight / 2;
    row = std::max(row, height_of(entry.lines));
    x += width + kEntryGap;
  }
  y += row;
  return entries;
}

/// Labels of categories: as they are, in several lines, or upright, whichever fits first. Gives the height.
double fit_categories(PanelLayout& panel) {
  constexpr double kBetween = 3;
  const double slot = (panel.right - panel.left) / static_cast<double>(panel.x.ticks.size());
  std::size_t most_lines = 1;
  for (const PlotTick& tick : panel.x.ticks) {
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = tick.label.find(' ', at);
      const double width = text_width(tick.label.substr(at, end == std::string::npos ? end : end - at));
      if (width > slot - kBetween) panel.upright = true;
    }
    most_lines = std::max(most_lines, wrapped(tick.label, slot - kBetween).size());
  }
  if (panel.upright) {
    double longest = 0;
    for (const PlotTick& tick : panel.x.ticks) longest = std::max(longest, text_width(tick.label));
    return longest + 2;
  }
  for (PlotTick& tick : panel.x.ticks) {
    std::string label;
    for (const std::string& line : wrapped(tick.label, slot - kBetween)) label += (label.empty() ? "" : "\n") + line;
    tick.label = label;
  }
  return kTickLine * static_cast<double>(most_lines - 1) + kLineHeight;
}

/// What of a panel does not depend on where it lies; `left` and `right` are as far out as its own labels let them be.
PanelLayout frame_of(const Plot& plot, std::size_t number) {
  const PlotPanel& of = plot.panels[number];
  PanelLayout panel;
  panel.panel = number;
  panel.title = lines_of(of.title, kPlotWidth - 2 * kPlotMargin);
  panel.y = y_range(of);
  panel.y_label = lines_of(of.y_label, kFrameHeight);
  panel.y_label_x = kPlotMargin + kLineHeight / 2;
  std::vector<std::string> labels;
  for (const PlotTick& tick : panel.y.ticks) labels.push_back(tick.label);
  panel.left = kPlotMargin + height_of(panel.y_label) + widest(labels) + kToTickLabel + 5;
  panel.right = kPlotWidth - kRight;
  panel.x = x_range(plot, of, panel.right - panel.left);
  if (!panel.x.ticks.empty() && plot.x_scale != PlotScale::categories) {
    // The last label is centred below the edge, or near it.
    panel.right = std::min(panel.right, kPlotWidth - kPlotMargin - text_width(panel.x.ticks.back().label) / 2);
  }
  return panel;
}

/// Places a panel at `y`, which is moved to below it. The last one names the axis of all.
void place(PanelLayout& panel, const Plot& plot, bool is_last, double& y) {
  panel.title_y = y + kLineHeight / 2;
  y += height_of(panel.title) + (panel.title.empty() ? 0 : 2);
  panel.x = x_range(plot, plot.panels[panel.panel], panel.right - panel.left);
  panel.top = y + kLineHeight / 2;  // half a label of the y axis may stand above
  panel.bottom = panel.top + kFrameHeight;
  y = panel.bottom + kToTickLabel;
  y += plot.x_scale == PlotScale::categories && !panel.x.ticks.empty() ? fit_categories(panel) : kLineHeight;
  if (is_last) {
    panel.x_label = lines_of(plot.x_label, kPlotWidth - 2 * kPlotMargin);
    panel.x_label_y = y + kLineHeight / 2;
    y += height_of(panel.x_label);
  }
  y += kGap;
}

}  // namespace

PlotLayout layout_of(const Plot& plot) {
  PlotLayout layout;
  layout.title = lines_of(plot.title, kPlotWidth - 2 * kPlotMargin);
  layout.title_y = 3 + kLineHeight / 2;
  double y = 3 + height_of(layout.title) + 3;
  layout.legend = legend_of(plot, y);
  y += 3;
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    if (has_values(plot.panels[i])) layout.panels.push_back(frame_of(plot, i));
  }
  double left = 0, right = kPlotWidth;
  for (const PanelLayout& panel : layout.panels) {
    left = std::max(left, panel.left);
    right = std::min(right, panel.right);
  }
  for (std::size_t i = 0; i < layout.panels.size(); ++i) {
    layout.panels[i].left = left;
    layout.panels[i].right = right;
    place(layout.panels[i], plot, i + 1 == layout.panels.size(), y);
  }
  layout.height = std::ceil(y / 3) * 3;
  return layout;
}

}  // namespace racksim::tools
