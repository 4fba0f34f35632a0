// Parsing and evaluation of readings. See figure_reading.hpp.
#include "tools/figure/figure_reading.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

using Operator = Reading::Operator;

std::size_t index_of(const JsonValue& value, const JsonLocation& place, const std::vector<std::string>& names) {
  const std::string& name = require_string(value, place, one_of(names));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) place.refuse(value.description(), one_of(names), nearest_name(name, names));
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> labels_of(const FigureAxes& axes) {
  std::vector<std::string> labels;
  for (const SweepPoint& point : axes.sweep) labels.push_back(point.label);
  return labels;
}

std::size_t point_at(const JsonValue& value, const JsonLocation& place, const FigureAxes& axes) {
  if (value.string()) return index_of(value, place, labels_of(axes));
  const auto x = value.number();
  for (std::size_t i = 0; x && i < axes.sweep.size(); ++i) {
    if (axes.sweep[i].x == *x) return i;
  }
  place.refuse(value.description(), "a value of the sweep: " + one_of(labels_of(axes)));
}

std::vector<std::size_t> points_in_range(const JsonValue& range, const JsonLocation& place, const FigureAxes& axes) {
  std::vector<std::size_t> points(axes.sweep.size());
  std::iota(points.begin(), points.end(), std::size_t{0});
  bind(range, place, {}, {{"from", "to", "above", "below"}, nullptr});
  for (const auto& [key, bound] : *range.members()) {
    const JsonLocation at = place.member(key);
    const auto limit = bound.number();
    if (!limit) at.refuse(bound.description(), "a number");
    std::erase_if(points, [&, &name = key](std::size_t i) {
      const double x = axes.sweep[i].x;
      if (name == "from") return x < *limit;
      if (name == "to") return x > *limit;
      return name == "above" ? x <= *limit : x >= *limit;
    });
  }
  if (points.empty()) place.refuse("a range without a point", "a range that holds points of the sweep");
  return points;
}

/// The one operator of a reading's object.
const OperatorForm& operator_of(const JsonValue& object, const JsonLocation& place) {
  std::vector<std::string> names;
  for (const OperatorForm& candidate : operator_forms()) names.push_back(candidate.name);
  const OperatorForm* chosen = nullptr;
  for (const auto& [key, operand] : *object.members()) {
    if (key == "metric" || key == "x") continue;
    const auto found = std::find_if(operator_forms().begin(), operator_forms().end(),
                                    [&name = key](const OperatorForm& candidate) { return name == candidate.name; });
    if (found == operator_forms().end()) {
      place.member(key).refuse("the unknown key " + quote(key), one_of(names), nearest_name(key, names));
    }
    if (chosen != nullptr) place.refuse("two operators", "one of " + one_of(names));
    chosen = &*found;
  }
  if (chosen == nullptr) place.refuse("no operator", "one of " + one_of(names));
  return *chosen;
}

Reading read_series(const JsonValue& name, const JsonLocation& place, const FigureAxes& axes,
                    const ReadingScope& scope) {
  Reading reading;
  reading.op = Operator::series;
  reading.series = index_of(name, place, axes.series);
  if (!scope.metric) place.refuse("a series without a metric", "\"metric\": " + one_of(axes.metrics) + " beside it");
  reading.metric = *scope.metric;
  // A single point is kept as the operand: the reading itself then has no axis.
  reading.points = scope.points;
  if (!scope.single) return reading;
  Reading single;
  single.op = Operator::max;
  single.operands.push_back(std::move(reading));
  return single;
}

double extreme_x(const Reading& curve, const std::vector<double>& y, const FigureAxes& axes, bool largest) {
  const auto at = largest ? std::max_element(y.begin(), y.end()) : std::min_element(y.begin(), y.end());
  return axes.sweep[curve.points[static_cast<std::size_t>(at - y.begin())]].x;
}

/// Where a curve passes the level, on the straight line between its points; NaN unless it does so once, in this
/// direction.
double passes_at(const Reading& curve, const std::vector<double>& y, double level, bool falling,
                 const FigureAxes& axes) {
  double found = std::nan("");
  std::size_t passed = 0;
  std::optional<std::size_t> last;  // off the level
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == level) continue;
    if (last && (y[*last] > level) != (y[i] > level)) {
      if (++passed > 1 || (y[i] < level) != falling) return std::nan("");
      // From the point before, which may lie on the level.
      const double x0 = axes.sweep[curve.points[i - 1]].x, x1 = axes.sweep[curve.points[i]].x;
      found = x0 + (x1 - x0) * (level - y[i - 1]) / (y[i] - y[i - 1]);
    }
    last = i;
  }
  return found;
}

}  // namespace

const std::vector<OperatorForm>& operator_forms() {
  static const std::vector<OperatorForm> all{{"series", Operator::series, 0},
                                             {"ratio", Operator::ratio, 2},
                                             {"difference", Operator::difference, 2},
                                             {"max", Operator::max, 1},
                                             {"min", Operator::min, 1},
                                             {"mean", Operator::mean, 1},
                                             {"x_of_max", Operator::x_of_max, 1},
                                             {"x_of_min", Operator::x_of_min, 1},
                                             {"reaches", Operator::reaches, 2},
                                             {"falls_through", Operator::falls_through, 2},
                                             {"rises_through", Operator::rises_through, 2}};
  return all;
}

std::string Reading::name(const FigureAxes& axes) const {
  if (op == Operator::series) {
    return axes.metrics.size() > 1 ? axes.metrics[metric] + " of " + axes.series[series] : axes.series[series];
  }
  std::string text;
  for (const Reading& operand : operands) {
    const std::string part = operand.name(axes);
    if (!part.empty()) text += (text.empty() ? "" : " / ") + part;
  }
  return text;
}

namespace {

/// The series that a reading is about, from left to right.
void gather_series(const Reading& reading, std::vector<const Reading*>& all) {
  if (reading.op == Operator::series) all.push_back(&reading);
  for (const Reading& operand : reading.operands) gather_series(operand, all);
}

/// Points of the sweep: one, a few, or those from one to another.
std::string points_text(const std::vector<std::size_t>& points, const FigureAxes& axes) {
  const auto label = [&](std::size_t i) { return axes.sweep[points[i]].label; };
  const bool in_a_row = points.size() > 2 && points.back() - points.front() + 1 == points.size();
  if (in_a_row) return label(0) + " .. " + label(points.size() - 1);
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i) text += (i == 0 ? "" : ", ") + label(i);
  return text;
}

}  // namespace

std::string Reading::place(const FigureAxes& axes) const {
  std::vector<const Reading*> all;
  gather_series(*this, all);
  const bool alike =
      std::all_of(all.begin(), all.end(), [&](const Reading* one) { return one->points == all[0]->points; });
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += (i == 0 ? "" : " / ") + all[i]->name(axes);
    if (!alike || i + 1 == all.size()) text += " at " + points_text(all[i]->points, axes);
  }
  return text;
}

std::vector<double> values_of(const Reading& reading, const FigureAxes& axes, const FigureValues& values) {
  if (reading.op == Operator::number) return {reading.number};
  std::vector<double> result;
  if (reading.op == Operator::series) {
    for (const std::size_t point : reading.points) result.push_back(values.of[reading.series][point][reading.metric]);
    return result;
  }
  const std::vector<double> a = values_of(reading.operands[0], axes, values);
  // A missing point must not vanish in a comparison with NaN.
  const bool complete = std::none_of(a.begin(), a.end(), [](double y) { return std::isnan(y); });
  const bool pointwise = reading.op == Operator::ratio || reading.op == Operator::difference;
  if (!pointwise && !complete) return {std::nan("")};
  switch (reading.op) {
    case Operator::max:
      return {*std::max_element(a.begin(), a.end())};
    case Operator::min:
      return {*std::min_element(a.begin(), a.end())};
    case Operator::mean:
      return {std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(a.size())};
    case Operator::x_of_max:
    case Operator::x_of_min:
      return {extreme_x(reading.operands[0], a, axes, reading.op == Operator::x_of_max)};
    default:
      break;
  }
  const std::vector<double> b = values_of(reading.operands[1], axes, values);
  if (reading.op == Operator::reaches) {
    const auto at = std::find_if(a.begin(), a.end(), [&](double y) { return y >= b[0]; });
    if (at == a.end() || !complete) return {std::nan("")};
    return {axes.sweep[reading.operands[0].points[static_cast<std::size_t>(at - a.begin())]].x};
  }
  if (reading.op == Operator::falls_through || reading.op == Operator::rises_through) {
    if (!complete) return {std::nan("")};
    return {passes_at(reading.operands[0], a, b[0], reading.op == Operator::falls_through, axes)};
  }
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const double left = a[a.size() == 1 ? 0 : i], right = b[b.size() == 1 ? 0 : i];
    result.push_back(reading.op == Operator::ratio ? left / right : left - right);
  }
  return result;
}

ReadingScope top_scope(const FigureAxes& axes) {
  ReadingScope scope;
  if (axes.metrics.size() == 1) scope.metric = 0;
  scope.points.resize(axes.sweep.size());
  std::iota(scope.points.begin(), scope.points.end(), std::size_t{0});
  return scope;
}

ReadingScope narrowed(const JsonValue& object, const JsonLocation& place, const FigureAxes& axes, ReadingScope scope) {
  if (const auto* metric = object.find("metric"))
    scope.metric = index_of(*metric, place.member("metric"), axes.metrics);
  const auto* x = object.find("x");
  if (!x) return scope;
  const JsonLocation at = place.member("x");
  scope.points.clear();
  scope.single = false;
  if (x->is_object()) {
    scope.points = points_in_range(*x, at, axes);
  } else if (const auto* list = x->elements()) {
    if (list->empty()) at.refuse("an empty array", "at least one value of the sweep");
    for (std::size_t i = 0; i < list->size(); ++i) scope.points.push_back(point_at((*list)[i], at.element(i), axes));
  } else {
    scope.points.push_back(point_at(*x, at, axes));
    scope.single = true;
  }
  return scope;
}

Reading read_reading(const JsonValue& value, const JsonLocation& place, const FigureAxes& axes,
                     const ReadingScope& scope) {
  if (const auto number = value.number()) {
    Reading reading;
    reading.number = *number;
    return reading;
  }
  if (value.string()) return read_series(value, place, axes, scope);
  if (!value.is_object()) place.refuse(value.description(), "a number, the name of a series, or an object");
  const OperatorForm& chosen = operator_of(value, place);
  const ReadingScope inner = narrowed(value, place, axes, scope);
  const JsonValue& content = *value.find(chosen.name);
  const JsonLocation at = place.member(chosen.name);
  if (chosen.op == Operator::series) return read_series(content, at, axes, inner);

  Reading reading;
  reading.op = chosen.op;
  if (chosen.operands == 1) {
    reading.operands.push_back(read_reading(content, at, axes, inner));
    if (reading.operands[0].single()) at.refuse("a single value", "something with a value at several x");
    return reading;
  }
  const auto* pair = content.elements();
  if (!pair || pair->size() != 2) at.refuse(content.description(), "an array of two readings");
  for (std::size_t i = 0; i < 2; ++i) reading.operands.push_back(read_reading((*pair)[i], at.element(i), axes, inner));
  const auto& [a, b] = std::tie(reading.operands[0].points, reading.operands[1].points);
  if (chosen.op >= Operator::reaches) {
    if (a.empty()) at.element(0).refuse("a single value", "something with a value at several x");
    if (!b.empty()) at.element(1).refuse("values at several x", "a single value");
    return reading;
  }
  if (!a.empty() && !b.empty() && a != b) at.refuse("readings at different x", "the same x, or a single value");
  reading.points = a.empty() ? b : a;
  return reading;
}

}  // namespace racksim::tools
