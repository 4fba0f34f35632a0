// How a claim is read off a figure's points: a small language of JSON values.
//
// A reading is a number, the name of a series (its value at every x), or an object with one operator:
//
//   {"series": "A"}                    a series, when "metric" or "x" stand beside it
//   {"ratio": [R, R]}                  point by point; a single value goes with every point
//   {"difference": [R, R]}
//   {"max": R}  {"min": R}  {"mean": R}  over x, a single value
//   {"x_of_max": R}  {"x_of_min": R}     where that is
//   {"reaches": [R, R]}                the first x at which a curve is at least a single value
//   {"falls_through": [R, R]}          the x at which a curve passes a single value downwards, on the straight line
//   {"rises_through": [R, R]}          between two points; upwards. None unless it passes it once, in this direction
//
// Beside the operator, and for everything inside it, may stand
//
//   "metric": one of the figure's metrics
//   "x": 0.2 (one point, a single value), [0.2, 0.4], or {"above": 0.2}, with "from", "to", "above" and "below"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A value on the x axis: a number, or a name, whose number is then its position.
struct SweepPoint {
  double x = 0;
  std::string label;
};

/// What a reading may speak of.
struct FigureAxes {
  std::vector<SweepPoint> sweep;
  std::vector<std::string> series;
  std::vector<std::string> metrics;
};

/// The numbers of a figure, by series, sweep point and metric; NaN where there is none.
struct FigureValues {
  std::vector<std::vector<std::vector<double>>> of;
  /// By series and sweep point, which runs they are from: two that are equal are the same to the last bit. Empty for a
  /// figure over time, of which one run gives all points.
  std::vector<std::vector<std::string>> runs;
};

/// "metric" and "x" as they hold at some depth of a reading.
struct ReadingScope {
  std::optional<std::size_t> metric;
  std::vector<std::size_t> points;  ///< indices into the sweep
  bool single = false;              ///< "x" names one point
};

struct Reading {
  enum class Operator : std::uint8_t {
    number,
    series,
    ratio,
    difference,
    max,
    min,
    mean,
    x_of_max,
    x_of_min,
    reaches,
    falls_through,
    rises_through
  };
  Operator op = Operator::number;
  double number = 0;
  std::size_t series = 0, metric = 0;
  std::vector<Reading> operands;
  std::vector<std::size_t> points;  ///< of the sweep, that the reading has values at; empty for a single value

  bool single() const { return points.empty(); }
  /// Whether it is a place on the x axis.
  bool tells_where() const { return op >= Operator::x_of_max; }
  /// The series read, with their metrics where there are several, joined by " / ": tells readings apart in a table.
  std::string name(const FigureAxes& axes) const;
  /// The same with the x at which they are read: "CONCORDIA / GAM at 0.2 .. 1"; of each where they differ.
  std::string place(const FigureAxes& axes) const;
};

/// An operator as a figure writes it, and how many readings it takes: 0 for the name of a series.
struct OperatorForm {
  const char* name;
  Reading::Operator op;
  std::size_t operands;
};
const std::vector<OperatorForm>& operator_forms();

/// A reading's values, in the order of its points; one if it is single.
std::vector<double> values_of(const Reading& reading, const FigureAxes& axes, const FigureValues& values);

/// The scope at the top of a claim: all points, and the metric if the figure has only one.
ReadingScope top_scope(const FigureAxes& axes);
/// The scope inside `object`, which may give "metric" and "x". Throws InputError.
ReadingScope narrowed(const JsonValue& object, const JsonLocation& place, const FigureAxes& axes, ReadingScope scope);
/// Reads a reading. Throws InputError on anything that the figure does not have, with the nearest name.
Reading read_reading(const JsonValue& value, const JsonLocation& place, const FigureAxes& axes,
                     const ReadingScope& scope);

}  // namespace racksim::tools
