// Verdicts on claims. See figure_claim.hpp.
#include "tools/figure/figure_claim.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/figure/empty_claim.hpp"

namespace racksim::tools {
namespace {

using Predicate = Expectation::Predicate;
using Shape = Expectation::Shape;
using Relation = Expectation::Relation;

using Curve = std::vector<double>;

bool finite(const Curve& y) {
  return std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
}

std::string list_text(const Curve& y) {
  std::string text;
  for (const double v : y) text += (text.empty() ? "" : " ") + short_number(v);
  return text;
}

std::string range_text(const Curve& y) {
  if (y.size() == 1) return short_number(y[0]);
  if (!finite(y)) return list_text(y);
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  return short_number(*low) + " .. " + short_number(*high);
}

/// True if `holds(before, after)` for all neighbours in [begin, end).
template <class Step>
bool steps(const Curve& y, std::size_t begin, std::size_t end, Step holds) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (!holds(y[i - 1], y[i])) return false;
  }
  return true;
}

constexpr auto kRises = [](double before, double after) { return after > before; };
constexpr auto kFalls = [](double before, double after) { return after < before; };

/// Rises to an interior point and falls from there.
bool peaks(const Curve& y) {
  const auto top = static_cast<std::size_t>(std::max_element(y.begin(), y.end()) - y.begin());
  return top > 0 && top + 1 < y.size() && steps(y, 0, top + 1, kRises) && steps(y, top, y.size(), kFalls);
}

bool has_shape(const Curve& y, Shape shape, double tolerance) {
  if (!finite(y)) return false;
  switch (shape) {
    case Shape::monotone_increasing:
      return steps(y, 0, y.size(), kRises);
    case Shape::monotone_decreasing:
      return steps(y, 0, y.size(), kFalls);
    case Shape::non_increasing:
      return steps(y, 0, y.size(), [=](double before, double after) { return after <= before * (1 + tolerance); });
    case Shape::non_decreasing:
      return steps(y, 0, y.size(), [=](double before, double after) { return after >= before * (1 - tolerance); });
    case Shape::flat: {
      const auto [low, high] = std::minmax_element(y.begin(), y.end());
      return *high - *low <= tolerance * std::abs(*high);
    }
    case Shape::rise_then_fall:
      return peaks(y);
    case Shape::fall_then_rise:
      break;
  }
  Curve mirrored;
  for (const double v : y) mirrored.push_back(-v);
  return peaks(mirrored);
}

/// Within the share of the larger of both.
bool close(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

/// The shape, and what the claim says besides of where the curve ends.
bool goes_as_told(const Curve& y, const Expectation& paper) {
  if (!has_shape(y, paper.shape, paper.tolerance)) return false;
  if (paper.slightly && !close(y.front(), y.back(), *paper.slightly)) return false;
  return !paper.to_value || std::abs(y.back() - *paper.to_value) <= paper.within * std::abs(*paper.to_value);
}

bool related(double a, Relation relation, double b, const Expectation& paper) {
  if (relation == Relation::above) return a > b && (!paper.slightly || close(a, b, *paper.slightly));
  if (relation == Relation::at_least) return a >= b;
  return close(a, b, paper.tolerance);
}

/// Distance to the nearest admissible value as a share of it; NaN if there is no value.
double distance(double y, const Expectation& paper) {
  if (std::isnan(y)) return y;
  const auto beyond = [](double excess, double bound) {
    // A value on the bound is admitted although 1.4 + 0.05 is not quite 1.45 in binary.
    if (!(excess > 1e-12 * std::abs(bound))) return 0.0;
    return bound != 0 ? excess / std::abs(bound) : std::numeric_limits<double>::infinity();
  };
  if (paper.max) {
    const double bound = *paper.max + paper.rounding;
    const double above = beyond(y - bound, bound);
    if (above > 0) return above;
  }
  if (!paper.min) return 0;
  const double bound = *paper.min - paper.rounding;
  return beyond(bound - y, bound);
}

/// How far the largest of all values stays below what it should reach; NaN if one is missing.
double short_of(const std::vector<Curve>& curves, const Expectation& paper) {
  if (!paper.reach) return 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (const Curve& curve : curves) {
    for (const double y : curve) {
      if (std::isnan(y)) return y;
      largest = std::max(largest, y);
    }
  }
  Expectation reached;
  reached.min = paper.reach;
  return distance(largest, reached);
}

/// The distances of all values, and of the largest.
std::vector<double> distances_of(const std::vector<Curve>& curves, const Expectation& paper) {
  std::vector<double> distances;
  for (const Curve& curve : curves) {
    for (const double y : curve) distances.push_back(distance(y, paper));
  }
  distances.push_back(short_of(curves, paper));
  return distances;
}

Verdict judge_bounds(const Claim& claim, const std::vector<Curve>& curves) {
  Verdict verdict;
  double off = 0;
  for (const double from_claim : distances_of(curves, claim.paper)) {
    if (std::isnan(from_claim)) return verdict;
    off = std::max(off, from_claim);
  }
  verdict.met = off == 0;
  if (!verdict.met) verdict.off = off;
  return verdict;
}

/// Passes the level once among all points read, in the right direction, between the two x. Outside them no point may
/// lie on the level; between them one may.
bool crosses(const Curve& y, const Reading& reading, const FigureAxes& axes, const Expectation& paper) {
  if (!finite(y)) return false;
  std::optional<bool> above_before, above_after, above_last;
  int crossings = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = axes.sweep[reading.points[i]].x;
    const bool inside = x > paper.before && x < paper.after;
    const bool above = y[i] > paper.level;
    if (y[i] == paper.level) {
      if (!inside) return false;
      continue;
    }
    if (above_last && *above_last != above) ++crossings;
    above_last = above;
    if (x <= paper.before) above_before = above;
    if (x >= paper.after && !above_after) above_after = above;
  }
  return crossings == 1 && above_before && above_after && *above_before == paper.falling &&
         *above_after != paper.falling;
}

Verdict judge_order(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  Verdict verdict;
  verdict.met = true;
  std::vector<Curve> curves;
  std::size_t length = 1;
  for (const Reading& operand : claim.paper.operands) {
    curves.push_back(values_of(operand, axes, values));
    length = std::max(length, curves.back().size());
    const std::string name = operand.name(axes);
    verdict.simulated += (verdict.simulated.empty() ? "" : "; ") + (name.empty() ? "" : name + ": ");
    verdict.simulated += list_text(curves.back());
  }
  for (std::size_t i = 0; i + 1 < curves.size(); ++i) {
    for (std::size_t at = 0; at < length; ++at) {
      const double a = curves[i][curves[i].size() == 1 ? 0 : at];
      const double b = curves[i + 1][curves[i + 1].size() == 1 ? 0 : at];
      if (!related(a, claim.paper.relations[i], b, claim.paper)) verdict.met = false;
    }
  }
  return verdict;
}

/// Whether somewhere a claim says "above" or "below" of two values that are as close as it takes for equal.
bool leads_by_nothing(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  const Expectation& paper = claim.paper;
  if (paper.tolerance == 0) return false;
  if (paper.predicate == Predicate::crossing) {
    return std::any_of(claim.readings.begin(), claim.readings.end(), [&](const Reading& reading) {
      const Curve y = values_of(reading, axes, values);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double x = axes.sweep[reading.points[i]].x;
        if ((x <= paper.before || x >= paper.after) && close(y[i], paper.level, paper.tolerance)) return true;
      }
      return false;
    });
  }
  for (std::size_t i = 0; i + 1 < paper.operands.size(); ++i) {
    if (paper.relations[i] != Relation::above) continue;
    const Curve a = values_of(paper.operands[i], axes, values), b = values_of(paper.operands[i + 1], axes, values);
    for (std::size_t at = 0; at < std::max(a.size(), b.size()); ++at) {
      if (close(a[a.size() == 1 ? 0 : at], b[b.size() == 1 ? 0 : at], paper.tolerance)) return true;
    }
  }
  return false;
}

Verdict judge_readings(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  std::vector<Curve> curves;
  std::vector<std::string> texts;
  for (const Reading& reading : claim.readings) {
    curves.push_back(values_of(reading, axes, values));
    texts.push_back(claim.directional() ? list_text(curves.back()) : range_text(curves.back()));
  }
  Verdict verdict;
  if (claim.paper.predicate == Predicate::bounds) {
    verdict = judge_bounds(claim, curves);
  } else {
    verdict.met = true;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const bool holds = claim.paper.predicate == Predicate::shape
                             ? goes_as_told(curves[i], claim.paper)
                             : crosses(curves[i], claim.readings[i], axes, claim.paper);
      verdict.met = verdict.met && holds;
    }
  }
  verdict.simulated = with_names(claim, axes, texts);
  verdict.of_readings = std::move(texts);
  return verdict;
}

}  // namespace

std::string short_number(double value) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value != 0 && (std::abs(value) < 0.001 || std::abs(value) >= 1e6)) return fmt::format("{:.3g}", value);
  return fmt::format("{:.4g}", value);
}

std::string with_names(const Claim& claim, const FigureAxes& axes, const std::vector<std::string>& texts) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all += i == 0 ? "" : "; ";
    if (texts.size() > 1) all += claim.readings[i].name(axes) + ": ";
    all += texts[i];
  }
  return all;
}

std::string Verdict::text(const Claim& claim) const {
  if (!unclear.empty()) return "unclear: " + unclear;
  if (met) return "met";
  if (claim.directional()) return "not met";
  if (!off) return "off: no value";
  if (std::isinf(*off)) return "off: infinite";
  // "off by 0 %" would contradict itself.
  const double percent = *off * 100;
  return percent < 1 ? fmt::format("off by {:.2g} %", percent) : fmt::format("off by {:.0f} %", percent);
}

Verdict judge(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  Verdict verdict = claim.paper.predicate == Predicate::order ? judge_order(claim, axes, values)
                                                              : judge_readings(claim, axes, values);
  verdict.unclear = why_nothing_was_read(claim, axes, values);
  if (verdict.unclear.empty() && verdict.met) verdict.unclear = why_it_holds_of_nothing(claim, axes, values);
  if (verdict.unclear.empty() && verdict.met && leads_by_nothing(claim, axes, values)) {
    verdict.unclear = fmt::format("within {:.3g} %, which counts as equal", claim.paper.tolerance * 100);
  }
  if (!verdict.unclear.empty()) verdict.met = false;
  return verdict;
}

}  // namespace racksim::tools
