// Ranges and round numbers. See plot_ticks.hpp.
#include "tools/plot/plot_ticks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "tools/plot/text_width.hpp"

namespace racksim::tools {
namespace {

/// The least and the most of what is added; the least is above the most if nothing was.
struct ValueExtent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value, PlotScale scale) {
    if (!is_drawable(value, scale)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

ValueExtent extent_of(const PlotPanel& panel) {
  ValueExtent extent;
  for (const PlotCurve& curve : panel.curves) {
    for (const PlotPoint& point : curve.points) {
      if (!is_drawable(point.y, panel.y_scale)) continue;
      for (const double value : {point.y, point.low, point.high}) extent.add(value, panel.y_scale);
    }
    for (const PlotLevel& level : curve.levels) extent.add(level.y, panel.y_scale);
  }
  for (const PlotMark& mark : panel.marks) extent.add(mark.y, panel.y_scale);
  return extent;
}

PlotRange log_range(ValueExtent extent, double unit) {
  if (extent.empty()) extent = {1, 10};
  PlotRange range;
  const double first = std::floor(std::log10(extent.low) + 1e-9);
  const double last = std::max(std::ceil(std::log10(extent.high) - 1e-9), first + 1);
  const double every = std::ceil((last - first) / 7);  // of many decades some have no label
  for (double power = first; power <= last; power += every) {
    range.ticks.push_back({std::pow(10, power), tick_label(std::pow(10, power) / unit)});
  }
  range.low = std::pow(10, first);
  range.high = std::pow(10, last);
  return range;
}

/// 1 - share, from the least but 0: at the value 0.001 stands the label "0.999".
PlotRange tail_range(const PlotPanel& panel) {
  double least = 1;
  const auto add = [&least](double share) {
    if (is_drawable(share, PlotScale::tail) && share < 1) least = std::min(least, 1 - share);
  };
  for (const PlotCurve& curve : panel.curves) {
    for (const PlotPoint& point : curve.points) add(point.y);
    for (const PlotLevel& level : curve.levels) add(level.y);
  }
  const int decades = std::max(1, static_cast<int>(std::ceil(-std::log10(least) - 1e-9)));
  constexpr int kRoomForHalf = 3, kMostLabels = 10;  // with more decades labels would lie on each other
  PlotRange range{std::pow(10, -decades), 1, {{1, "0"}}};
  if (decades <= kRoomForHalf) range.ticks.push_back({0.5, "0.5"});
  for (int i = 1; i <= decades; i += 1 + decades / kMostLabels) {
    range.ticks.push_back({std::pow(10, -i), "0." + std::string(static_cast<std::size_t>(i), '9')});
  }
  return range;
}

/// Leaves out what would lie on the label before it; `place` gives points from the left.
template <class Place>
std::vector<PlotTick> thinned(const std::vector<PlotTick>& ticks, const Place& place) {
  constexpr double kGap = 4;
  std::vector<PlotTick> kept;
  double written = -std::numeric_limits<double>::infinity();
  for (const PlotTick& tick : ticks) {
    const double half = text_width(tick.label) / 2;
    if (place(tick.at) - half < written + kGap) continue;
    written = place(tick.at) + half;
    kept.push_back(tick);
  }
  return kept;
}

}  // namespace

std::string tick_label(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kPrefixes{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  if (std::abs(value) < 1e5) return fmt::format("{:g}", value + 0.0);  // not -0
  for (const auto& [factor, prefix] : kPrefixes) {
    if (std::abs(value) >= factor) return fmt::format("{:g} {}", value / factor, prefix);
  }
  return fmt::format("{:g}", value);
}

std::vector<double> round_numbers(double low, double high) {
  const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < rough) step = power * factor;
  }
  std::vector<double> numbers;
  const double first = std::ceil(low / step - 1e-9);
  for (double n = 0; (first + n) * step <= high + step * 1e-9; ++n) numbers.push_back((first + n) * step + 0.0);
  return numbers;
}

std::vector<double> round_ratios(double low, double high) {
  const double first = std::floor(std::log10(low)), last = std::log10(high) + 1e-9;
  std::vector<double> numbers;
  for (const auto& factors : {std::vector<double>{1}, std::vector<double>{1, 2, 5}}) {
    numbers.clear();
    for (double power = first; power <= last; ++power) {
      for (const double factor : factors) {
        const double number = factor * std::pow(10, power);
        if (number >= low * (1 - 1e-9) && number <= high * (1 + 1e-9)) numbers.push_back(number);
      }
    }
    if (numbers.size() >= 3) return numbers;
  }
  return numbers.size() >= 2 ? numbers : round_numbers(low, high);
}

PlotRange y_range(const PlotPanel& panel) {
  if (panel.y_scale == PlotScale::tail) return tail_range(panel);
  ValueExtent extent = extent_of(panel);
  if (panel.y_scale == PlotScale::log) return log_range(extent, panel.y_per_unit);
  extent.add(0, PlotScale::linear);
  if (extent.low == extent.high) extent.high = extent.low + 1;
  const double room = (extent.high - extent.low) * 0.06;  // for marks at the edge
  PlotRange range{extent.low < 0 ? extent.low - room : 0, extent.high + room, {}};
  for (const double number : round_numbers(range.low / panel.y_per_unit, range.high / panel.y_per_unit))
    range.ticks.push_back({number * panel.y_per_unit, tick_label(number)});
  return range;
}

PlotRange x_range(const Plot& plot, const PlotPanel& panel, double width) {
  PlotRange range;
  if (panel.x_range) {
    std::tie(range.low, range.high) = *panel.x_range;
    const double unit = plot.x_per_unit, low = range.low / unit, high = range.high / unit;
    for (const double n : plot.x_scale == PlotScale::log ? round_ratios(low, high) : round_numbers(low, high))
      range.ticks.push_back({n * unit, fmt::format("{:.7g}", n)});
  } else if (plot.x_scale == PlotScale::categories) {
    range.low = -0.5;
    range.high = std::max(static_cast<double>(plot.places.size()), 1.0) - 0.5;
    for (std::size_t i = 0; i < plot.places.size(); ++i) {
      range.ticks.push_back({static_cast<double>(i), plot.places[i].label});
    }
    return range;
  } else if (!plot.places.empty()) {
    const bool log = plot.x_scale == PlotScale::log;
    const double first = plot.places.front().x, last = plot.places.back().x;
    if (log) {
      const double room = last > first ? std::pow(last / first, 0.05) : 2;
      range = {first / room, last * room, {}};
    } else {
      const double room = last > first ? (last - first) * 0.04 : 1;
      range = {first - room, last + room, {}};
    }
    for (const PlotPlace& place : plot.places) range.ticks.push_back({place.x, place.label});
  }
  const bool log = plot.x_scale == PlotScale::log;
  const auto on = [log](double x) { return log ? std::log(x) : x; };
  const double scale = width / (on(range.high) - on(range.low));
  range.ticks = thinned(range.ticks, [&](double at) { return (on(at) - on(range.low)) * scale; });
  return range;
}

double x_on_axis(const Plot& plot, double x) {
  if (plot.x_scale != PlotScale::categories) return x;
  const auto place =
      std::find_if(plot.places.begin(), plot.places.end(), [x](const PlotPlace& one) { return one.x == x; });
  return static_cast<double>(place - plot.places.begin());
}

}  // namespace racksim::tools
