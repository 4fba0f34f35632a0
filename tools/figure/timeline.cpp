// Reading the axis of a figure over time. See timeline.hpp.
#include "tools/figure/timeline.hpp"

#include <fmt/core.h>

#include <cmath>

#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace {

constexpr double kLongest = 1e6;  // seconds on the axis
constexpr std::uint64_t kMostWindows = 10'000;

/// Places on the axis as instants of the run.
class Axis {
 public:
  Axis(double zero, sim::Duration interval) : zero_(zero), interval_(interval) {}

  /// Refuses an instant before the run, and one at which no interval begins.
  sim::Time instant(double x, const JsonLocation& place) const {
    const double intervals = (x - zero_) / interval_.seconds();
    const double whole = std::round(intervals);
    if (whole < 0) {
      place.refuse(fmt::format("{} s, before the run begins at {} s", x, zero_), "a part of the run, or \"as\" one");
    }
    if (std::abs(intervals - whole) > 1e-3) {
      place.refuse(
          fmt::format("a window that begins or ends at {} s", x),
          fmt::format("whole intervals of {} ns (\"observe.series_interval\") from {} s on", interval_.ns(), zero_));
    }
    return sim::Time{} + interval_ * static_cast<std::int64_t>(whole);
  }

 private:
  double zero_;
  sim::Duration interval_;
};

std::pair<double, double> read_range(const JsonValue& value, const JsonLocation& place) {
  const auto* ends = value.elements();
  const bool pair = ends != nullptr && ends->size() == 2;
  const auto from = pair ? (*ends)[0].number() : std::nullopt, to = pair ? (*ends)[1].number() : std::nullopt;
  if (!from || !to || !(*from < *to)) place.refuse(value.description(), "two places on the axis, the lesser first");
  return {*from, *to};
}

void read_stretch(Timeline& timeline, double from, const JsonValue& value, const JsonLocation& place,
                  const Axis& axis) {
  double to = from;
  std::uint64_t windows = 1;
  sim::Parameters own;
  own.real("to", to, -kLongest, kLongest, "");
  own.integer("windows", windows, 1, kMostWindows, "");
  bind(value, place, own, {{"as"}, nullptr});
  if (!(to > from)) place.refuse(fmt::format("an end at {} s", to), fmt::format("\"to\" above {}", from));
  if (const auto* as = value.find("as")) {
    const JsonLocation at = place.member("as");
    if (windows > 1) at.refuse("several windows drawn alike", "one window");
    const auto [begin, end] = read_range(*as, at);
    timeline.windows.push_back({from, to, axis.instant(begin, at), axis.instant(end, at), true});
    return;
  }
  for (std::uint64_t i = 0; i < windows; ++i) {
    // To the nanosecond, so that a claim can name a window by its begin.
    const auto edge = [&](std::uint64_t n) {
      return std::round((from + (to - from) * static_cast<double>(n) / static_cast<double>(windows)) * 1e9) / 1e9;
    };
    timeline.windows.push_back(
        {edge(i), edge(i + 1), axis.instant(edge(i), place), axis.instant(edge(i + 1), place), false});
  }
}

}  // namespace

Timeline read_timeline(const JsonValue& value, const JsonLocation& place, sim::Duration interval) {
  Timeline timeline;
  double from = 0, zero = 0;
  sim::Parameters own;
  own.text("label", timeline.label, "");
  own.real("from", from, -kLongest, kLongest, "");
  own.real("zero", zero, -kLongest, kLongest, "");
  bind(value, place, own, {{"stretches", "zoom"}, nullptr});
  if (interval <= sim::Duration{}) {
    place.refuse("runs without time series", "\"observe.series_interval\" in \"set\" or the base");
  }
  const JsonLocation at = place.member("stretches");
  const auto* stretches = value.find("stretches");
  const auto* list = stretches != nullptr ? stretches->elements() : nullptr;
  if (list == nullptr || list->empty()) {
    at.refuse(stretches != nullptr ? stretches->description() : "nothing", "an array of stretches of time");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const double begin = timeline.windows.empty() ? from : timeline.windows.back().to;
    read_stretch(timeline, begin, (*list)[i], at.element(i), Axis(zero, interval));
  }
  if (const auto* zoom = value.find("zoom")) timeline.zoom = read_range(*zoom, place.member("zoom"));
  return timeline;
}

}  // namespace racksim::tools
