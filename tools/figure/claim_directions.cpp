// See claim_directions.hpp.
#include "tools/figure/claim_directions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/statistics/paired_comparison.hpp"

namespace racksim::tools {
namespace {

using Predicate = Expectation::Predicate;
using Shape = Expectation::Shape;
using Relation = Expectation::Relation;

using Values = std::vector<double>;  // of one thing, run by run

/// What pairs show of left - right.
enum class Sign : std::uint8_t { below, equal, above, not_told };

/// Pairs that are judged together.
class Pairs {
 public:
  /// Gives the pair's number.
  std::size_t add(Values left, Values right) {
    left_.push_back(std::move(left));
    right_.push_back(std::move(right));
    return left_.size() - 1;
  }

  void judge() {
    std::vector<std::size_t> tested;
    std::vector<double> probabilities;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      const auto finite = [](double value) { return std::isfinite(value); };
      const bool numbers = std::all_of(left_[i].begin(), left_[i].end(), finite) &&
                           std::all_of(right_[i].begin(), right_[i].end(), finite);
      if (!numbers) {
        signs_.push_back(sign_in_all(i));
        continue;
      }
      const PairedComparison pair = *compare_pairs(right_[i], left_[i]);
      signs_.push_back(sign_of(pair.difference.mean));
      if (pair.difference.equal()) continue;
      tested.push_back(i);
      probabilities.push_back(*pair.probability);
    }
    const std::vector<double> corrected = holm_adjusted(probabilities);
    for (std::size_t i = 0; i < tested.size(); ++i) {
      if (corrected[i] > kSignificance) signs_[tested[i]] = Sign::not_told;
    }
    same_ = tested.empty();
  }

  Sign sign(std::size_t pair) const { return signs_[pair]; }
  std::size_t count() const { return left_.size(); }
  std::size_t not_told() const {
    return static_cast<std::size_t>(std::count(signs_.begin(), signs_.end(), Sign::not_told));
  }
  bool same() const { return same_; }

 private:
  static Sign sign_of(double difference) {
    return difference > 0 ? Sign::above : difference < 0 ? Sign::below : Sign::equal;
  }
  /// Of infinities, or of what is missing, which is never above.
  Sign sign_in_all(std::size_t pair) const {
    std::size_t above = 0;
    for (std::size_t run = 0; run < left_[pair].size(); ++run) above += left_[pair][run] > right_[pair][run] ? 1 : 0;
    return above == left_[pair].size() ? Sign::above : above == 0 ? Sign::below : Sign::not_told;
  }

  std::vector<Values> left_, right_;
  std::vector<Sign> signs_;
  bool same_ = false;
};

/// A value at each point, of each run.
using Curves = std::vector<Values>;

Curves curves_of(const Reading& reading, const FigureAxes& axes, const std::vector<FigureValues>& each) {
  Curves curves;
  for (const FigureValues& values : each) {
    const std::vector<double> of_run = values_of(reading, axes, values);
    curves.resize(of_run.size());
    for (std::size_t at = 0; at < of_run.size(); ++at) curves[at].push_back(of_run[at]);
  }
  return curves;
}

/// So much of each value.
Values times(Values values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

class Direction {
 public:
  Direction(const Claim& claim, const FigureAxes& axes, const FigureValues& mean, const std::vector<FigureValues>& each)
      : paper_(claim.paper) {
    if (paper_.predicate == Predicate::order) {
      add_order(axes, each);
    } else {
      for (const Reading& reading : claim.readings)
        add_shape(curves_of(reading, axes, each), values_of(reading, axes, mean));
    }
  }

  DirectionOverRuns judged() {
    pairs_.judge();
    DirectionOverRuns over;
    over.same = pairs_.same();
    bool fails = false, told = true, leads = true;
    const auto take = [&](bool may_hold, bool must_hold) {
      fails = fails || !may_hold;
      told = told && must_hold;
    };
    for (const auto& [pair, strict] : needed_) {
      const Sign sign = pairs_.sign(pair);
      const bool holds = sign == Sign::above || (sign == Sign::equal && !strict);
      take(holds || sign == Sign::not_told, holds);
    }
    for (const Peak& peak : peaks_) {
      const auto [may, must] = peaks(peak);
      take(may, must);
    }
    for (const std::size_t pair : leads_) {
      const Sign sign = pairs_.sign(pair);
      leads = leads && (sign == Sign::above || sign == Sign::not_told);
      told = told && sign == Sign::above;
    }
    over.met = !fails && told;
    if (fails || told) return over;
    if (!leads) {
      over.unclear = fmt::format("within {:.3g} %, which counts as equal", paper_.tolerance * 100);
    } else if (pairs_.count() == 1) {
      over.unclear = "the 95 % interval of the paired difference goes across";
    } else {
      over.unclear = fmt::format("{} of {} paired differences cannot be told", pairs_.not_told(), pairs_.count());
    }
    return over;
  }

 private:
  /// A pair whose left must be above the right, or equal if it is not strict.
  struct Needed {
    std::size_t pair;
    bool strict;
  };
  /// Steps along a curve that rises and then falls.
  using Peak = std::vector<std::size_t>;

  void need(Values left, Values right, bool strict) {
    needed_.push_back({pairs_.add(std::move(left), std::move(right)), strict});
  }

  /// That both are no further apart than this share of the larger.
  void need_close(const Values& a, const Values& b, double share) {
    Values a_and_share = a, b_and_share = b;
    for (std::size_t run = 0; run < a.size(); ++run) {
      const double shift = share * std::max(std::abs(a[run]), std::abs(b[run]));
      a_and_share[run] += shift;
      b_and_share[run] += shift;
    }
    need(std::move(b_and_share), a, false);
    need(std::move(a_and_share), b, false);
  }

  void add_relation(const Values& a, Relation relation, const Values& b) {
    if (relation == Relation::about) return need_close(a, b, paper_.tolerance);
    need(a, b, relation == Relation::above);
    if (relation == Relation::at_least) return;
    if (paper_.slightly) need_close(a, b, *paper_.slightly);
    if (paper_.tolerance == 0) return;
    Values b_and_share = b;
    for (std::size_t run = 0; run < b.size(); ++run)
      b_and_share[run] += paper_.tolerance * std::max(std::abs(a[run]), std::abs(b[run]));
    leads_.push_back(pairs_.add(a, std::move(b_and_share)));
  }

  void add_order(const FigureAxes& axes, const std::vector<FigureValues>& each) {
    std::vector<Curves> operands;
    std::size_t length = 1;
    for (const Reading& operand : paper_.operands) {
      operands.push_back(curves_of(operand, axes, each));
      length = std::max(length, operands.back().size());
    }
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
      const Curves &a = operands[i], &b = operands[i + 1];
      for (std::size_t at = 0; at < length; ++at)
        add_relation(a[a.size() == 1 ? 0 : at], paper_.relations[i], b[b.size() == 1 ? 0 : at]);
    }
  }

  void add_shape(const Curves& y, const std::vector<double>& mean) {
    const double share = paper_.tolerance;
    const auto top = static_cast<std::size_t>(std::max_element(mean.begin(), mean.end()) - mean.begin());
    Peak steps;
    for (std::size_t i = 1; i < y.size(); ++i) {
      const Values &before = y[i - 1], &after = y[i];
      switch (paper_.shape) {
        case Shape::monotone_increasing:
          need(after, before, true);
          break;
        case Shape::monotone_decreasing:
          need(before, after, true);
          break;
        case Shape::non_increasing:
          need(times(before, 1 + share), after, false);
          break;
        case Shape::non_decreasing:
          need(after, times(before, 1 - share), false);
          break;
        case Shape::rise_then_fall:
          steps.push_back(pairs_.add(after, before));
          break;
        case Shape::fall_then_rise:
          steps.push_back(pairs_.add(before, after));
          break;
        case Shape::flat:
          break;
      }
    }
    if (!steps.empty()) peaks_.push_back(std::move(steps));
    for (std::size_t i = 0; paper_.shape == Shape::flat && i < y.size(); ++i) {
      if (i == top) continue;
      Values least = y[top];
      for (double& value : least) value -= share * std::abs(value);
      need(y[i], std::move(least), false);
    }
    if (paper_.slightly) need_close(y.front(), y.back(), *paper_.slightly);
    if (!paper_.to_value) return;
    const double apart = paper_.within * std::abs(*paper_.to_value);
    need(y.back(), Values(y.back().size(), *paper_.to_value - apart), false);
    need(Values(y.back().size(), *paper_.to_value + apart), y.back(), false);
  }

  /// Whether the curve may rise to a point within and fall from there, and whether it must, of whichever signs those steps
  /// are that are not told.
  std::pair<bool, bool> peaks(const Peak& steps) const {
    std::vector<Sign> signs;
    for (const std::size_t step : steps) signs.push_back(pairs_.sign(step));
    const auto is_peak_at = [&](std::size_t top) {
      return std::all_of(signs.begin(), signs.begin() + static_cast<std::ptrdiff_t>(top),
                         [](Sign sign) { return sign == Sign::above || sign == Sign::not_told; }) &&
             std::all_of(signs.begin() + static_cast<std::ptrdiff_t>(top), signs.end(),
                         [](Sign sign) { return sign == Sign::below || sign == Sign::not_told; });
    };
    std::size_t tops = 0;
    for (std::size_t top = 1; top < signs.size(); ++top) tops += is_peak_at(top) ? 1 : 0;
    // One step that is not told may lie at the top, of which then either end may be it; of two the first may fall.
    const auto not_told = static_cast<std::size_t>(std::count(signs.begin(), signs.end(), Sign::not_told));
    return {tops > 0, not_told <= 1 && tops == not_told + 1};
  }

  const Expectation& paper_;
  Pairs pairs_;
  std::vector<Needed> needed_;
  std::vector<std::size_t> leads_;  ///< of "above": by more than what counts as equal; else it is not told
  std::vector<Peak> peaks_;
};

}  // namespace

std::optional<DirectionOverRuns> judge_direction(const Claim& claim, const FigureAxes& axes, const FigureValues& mean,
                                                 const std::vector<FigureValues>& each) {
  if (claim.paper.predicate == Predicate::crossing) return std::nullopt;
  return Direction(claim, axes, mean, each).judged();
}

}  // namespace racksim::tools
