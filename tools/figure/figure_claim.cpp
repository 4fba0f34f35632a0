// Verdicts on claims. See figure_claim.hpp.
#include "tools/figure/figure_claim.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace racksim::tools {
namespace {

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

bool related(double a, Relation relation, double b, double tolerance) {
  if (relation == Relation::above) return a > b;
  if (relation == Relation::at_least) return a >= b;
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

/// Distance to the nearest admissible value as a share of it; NaN if there is no value.
double distance(double y, const Expectation& paper) {
  if (std::isnan(y)) return y;
  const auto beyond = [](double excess, double bound) {
    // A value on the bound is admitted although 1.4 + 0.05 is not quite 1.45 in binary.
    if (!(excess > 1e-12 * std::abs(bound))) return 0.0;
    return bound != 0 ? excess / std::abs(bound) : std::numeric_limits<double>::infinity();
  };
  double off = 0;
  if (paper.min) {
    const double bound = *paper.min - paper.rounding;
    off = std::max(off, beyond(bound - y, bound));
  }
  if (paper.max) {
    const double bound = *paper.max + paper.rounding;
    off = std::max(off, beyond(y - bound, bound));
  }
  return off;
}

Verdict judge_bounds(const Claim& claim, const std::vector<Curve>& curves) {
  Verdict verdict;
  double off = 0;
  for (const Curve& curve : curves) {
    for (const double y : curve) {
      const double from_claim = distance(y, claim.paper);
      if (std::isnan(from_claim)) return verdict;
      off = std::max(off, from_claim);
    }
  }
  verdict.met = off == 0;
  if (!verdict.met) verdict.off = off;
  return verdict;
}

bool crosses(const Curve& y, const Reading& reading, const FigureAxes& axes, const Expectation& paper) {
  if (!finite(y)) return false;
  std::optional<bool> above_before, above_after;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = axes.sweep[reading.points[i]].x;
    if (x > paper.before && x < paper.after) continue;
    auto& side = x <= paper.before ? above_before : above_after;
    const bool above = y[i] > paper.level;
    if (y[i] == paper.level || (side && *side != above)) return false;
    side = above;
  }
  return above_before && above_after && *above_before != *above_after;
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
      if (!related(a, claim.paper.relations[i], b, claim.paper.tolerance)) verdict.met = false;
    }
  }
  return verdict;
}

}  // namespace

std::string short_number(double value) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value != 0 && (std::abs(value) < 0.001 || std::abs(value) >= 1e6)) return fmt::format("{:.3g}", value);
  return fmt::format("{:.4g}", value);
}

std::string Verdict::text(const Claim& claim) const {
  if (met) return "met";
  if (claim.directional()) return "not met";
  if (!off) return "off: no value";
  if (std::isinf(*off)) return "off: infinite";
  // "off by 0 %" would contradict itself.
  const double percent = *off * 100;
  return percent < 1 ? fmt::format("off by {:.2g} %", percent) : fmt::format("off by {:.0f} %", percent);
}

Verdict judge(const Claim& claim, const FigureAxes& axes, const FigureValues& values) {
  if (claim.paper.predicate == Expectation::Predicate::order) return judge_order(claim, axes, values);
  std::vector<Curve> curves;
  std::string simulated;
  const bool directional = claim.directional();
  for (const Reading& reading : claim.readings) {
    curves.push_back(values_of(reading, axes, values));
    simulated += simulated.empty() ? "" : "; ";
    if (claim.readings.size() > 1) simulated += reading.name(axes) + ": ";
    simulated += directional ? list_text(curves.back()) : range_text(curves.back());
  }
  Verdict verdict;
  if (claim.paper.predicate == Expectation::Predicate::bounds) {
    verdict = judge_bounds(claim, curves);
  } else {
    verdict.met = true;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const bool holds = claim.paper.predicate == Expectation::Predicate::shape
                             ? has_shape(curves[i], claim.paper.shape, claim.paper.tolerance)
                             : crosses(curves[i], claim.readings[i], axes, claim.paper);
      verdict.met = verdict.met && holds;
    }
  }
  verdict.simulated = std::move(simulated);
  return verdict;
}

}  // namespace racksim::tools
