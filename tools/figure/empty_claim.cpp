// Looking for claims that hold of nothing. See empty_claim.hpp.
#include "tools/figure/empty_claim.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace racksim::tools {
namespace {

using Operator = Reading::Operator;
using Relation = Expectation::Relation;

/// The points at which a reading reads each series.
using Touched = std::map<std::size_t, std::set<std::size_t>>;

void gather(const Reading& reading, Touched& touched) {
  if (reading.op == Operator::series) touched[reading.series].insert(reading.points.begin(), reading.points.end());
  for (const Reading& operand : reading.operands) gather(operand, touched);
}

/// Several points, all from the same run.
bool untouched(std::size_t series, const std::set<std::size_t>& points, const FigureValues& values) {
  if (values.runs.empty() || points.size() < 2) return false;
  const auto& runs = values.runs[series];
  return std::all_of(points.begin(), points.end(), [&](std::size_t x) { return runs[x] == runs[*points.begin()]; });
}

/// What is told if the sweep touches none of the series that are read; empty if it does.
std::string untouched_text(const Touched& touched, const FigureAxes& axes, const FigureValues& values) {
  std::string names;
  for (const auto& [series, points] : touched) {
    if (!untouched(series, points, values)) return "";
    names += (names.empty() ? "" : ", ") + axes.series[series];
  }
  return names.empty() ? "" : "the sweep does not touch " + names;
}

std::string nothing_in(const Reading& reading, const FigureAxes& axes, const FigureValues& values) {
  if (reading.op == Operator::series) {
    for (const std::size_t point : reading.points) {
      if (std::isnan(values.of[reading.series][point][reading.metric])) return "no value was read";
    }
  }
  for (const Reading& operand : reading.operands) {
    std::string why = nothing_in(operand, axes, values);
    if (!why.empty()) return why;
  }
  if (reading.op != Operator::ratio) return "";
  const auto over = values_of(reading.operands[0], axes, values), under = values_of(reading.operands[1], axes, values);
  for (std::size_t i = 0; i < std::max(over.size(), under.size()); ++i) {
    if (over[over.size() == 1 ? 0 : i] == 0 && under[under.size() == 1 ? 0 : i] == 0) return "0 of 0";
  }
  return "";
}

/// Of two sides of "~" or ">=", which a pair of zeros would meet, and so would a series that stays the same.
std::string nothing_between(const Reading& left, const Reading& right, const FigureAxes& axes,
                            const FigureValues& values) {
  const auto a = values_of(left, axes, values), b = values_of(right, axes, values);
  const auto zero = [](double y) { return y == 0; };
  if (std::all_of(a.begin(), a.end(), zero) && std::all_of(b.begin(), b.end(), zero)) return "both sides are 0";
  Touched one, other;
  gather(left, one);
  gather(right, other);
  const bool same_series = std::equal(one.begin(), one.end(), other.begin(), other.end(),
                                      [](const auto& x, const auto& y) { return x.first == y.first; });
  if (!same_series || one == other) return "";
  for (const auto& [series, points] : other) one[series].insert(points.begin(), points.end());
  return untouched_text(one, axes, values);
}

/// Of one reading: whether it is about a change along the sweep that nothing makes.
std::string nothing_along(const Reading& reading, bool directional, const FigureAxes& axes,
                          const FigureValues& values) {
  Touched touched;
  gather(reading, touched);
  const bool compares = reading.op == Operator::ratio || reading.op == Operator::difference;
  if (!directional && !(compares && touched.size() == 1)) return "";
  return untouched_text(touched, axes, values);
}

}  // namespace

std::string why_nothing_was_read(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  for (const auto* readings : {&claim.readings, &claim.paper.operands}) {
    for (const Reading& reading : *readings) {
      std::string why = nothing_in(reading, axes, values);
      if (!why.empty()) return why;
    }
  }
  return "";
}

std::string why_it_holds_of_nothing(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  const auto& operands = claim.paper.operands;
  for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
    if (claim.paper.relations[i] == Relation::above) continue;
    std::string why = nothing_between(operands[i], operands[i + 1], axes, values);
    if (!why.empty()) return why;
  }
  for (const Reading& reading : claim.readings) {
    std::string why = nothing_along(reading, claim.directional(), axes, values);
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace racksim::tools
