// Verdicts on a figure's claims from all its runs: several criteria of a knee, several seeds or placements of keys. See
// figure_report.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/figure/figure_report.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {
namespace {

/// What one criterion gives.
struct UnderCriterion {
  Verdict verdict;            // over all seeds or placements; what was simulated is their mean
  std::vector<Verdict> runs;  // of each; empty if there is only one
};

/// Whether some value lies outside with every seed, on the same side: the range from the smallest to the largest then
/// holds nothing that the claim admits.
bool always_outside(const std::vector<std::vector<int>>& sides) {
  for (std::size_t value = 0; value < sides.front().size(); ++value) {
    const int side = sides.front()[value];
    const auto same = [&](const std::vector<int>& run) { return run[value] == side; };
    if (side != 0 && std::all_of(sides.begin(), sides.end(), same)) return true;
  }
  return false;
}

/// The claim is met if it is with every seed: then the whole range is inside. It fails if the range is outside, or a
/// direction never holds. A range that goes across is unclear.
void judge_range(const Claim& claim, const Figure& figure, const std::vector<FigureValues>& values,
                 UnderCriterion& under) {
  Verdict& verdict = under.verdict;
  const bool no_value = !verdict.met && !verdict.off;
  const auto met = std::count_if(under.runs.begin(), under.runs.end(), [](const Verdict& run) { return run.met; });
  verdict.met = met == static_cast<std::ptrdiff_t>(under.runs.size());
  verdict.unclear.clear();
  if (verdict.met) return;
  for (const Verdict& run : under.runs) {
    if (!run.unclear.empty()) verdict.unclear = run.unclear;
  }
  if (!verdict.unclear.empty()) return;
  bool fails = met == 0;
  if (!claim.directional()) {
    std::vector<std::vector<int>> sides;
    for (const FigureValues& run : values) sides.push_back(sides_of(claim, figure.axes, run));
    fails = always_outside(sides) || (fails && no_value);  // what is never reached lies on no side
  }
  if (!fails) verdict.unclear = fmt::format("met with {} of {}", met, figure.repeats.text());
}

UnderCriterion judge_under(const Claim& claim, const Figure& figure, const std::vector<PointResult>& results,
                           std::size_t criterion) {
  UnderCriterion under;
  under.verdict = judge(claim, figure.axes, values_under(figure, results, criterion));
  if (figure.repeats.count() == 1) return under;
  std::vector<FigureValues> values;
  for (std::size_t repeat = 0; repeat < figure.repeats.count(); ++repeat) {
    values.push_back(values_under(figure, results, criterion, repeat));
    under.runs.push_back(judge(claim, figure.axes, values.back()));
  }
  judge_range(claim, figure, values, under);
  return under;
}

/// What was read, and what of it hangs on the seed: "2.86 (2.71 | 2.99)", "3 2 1 (so in 2 of 3 placements)".
std::string simulated_text(const Claim& claim, const Figure& figure, const UnderCriterion& under) {
  if (under.runs.empty()) return under.verdict.simulated;
  if (claim.directional()) {
    const auto met = std::count_if(under.runs.begin(), under.runs.end(), [](const Verdict& run) { return run.met; });
    return fmt::format("{} (so in {} of {})", under.verdict.simulated, met, figure.repeats.text());
  }
  std::vector<std::string> texts = under.verdict.of_readings;
  for (std::size_t reading = 0; reading < texts.size(); ++reading) {
    std::string each;
    for (const Verdict& run : under.runs) each += (each.empty() ? "" : " | ") + run.of_readings[reading];
    texts[reading] += fmt::format(" ({})", each);
  }
  return with_names(claim, figure.axes, texts);
}

/// The criterion by which numbers are judged.
std::size_t judging_criterion(const Figure& figure) {
  if (!figure.knee) return 0;
  const auto& criteria = figure.knee->criteria;
  const auto fitted =
      std::find_if(criteria.begin(), criteria.end(), [](const auto& c) { return !c.calibrated.empty(); });
  return static_cast<std::size_t>(fitted == criteria.end() ? criteria.size() - 1
                                                           : static_cast<std::size_t>(fitted - criteria.begin()));
}

/// A value that the paper prints, such as a ratio. Whatever else a claim is about, a direction, a bound or where the
/// best value lies, must hold by every criterion.
bool is_printed_value(const Claim& claim) {
  const Expectation& paper = claim.paper;
  const bool printed = paper.reach || (paper.min && paper.max && *paper.min == *paper.max);
  return !claim.directional() && printed &&
         std::none_of(claim.readings.begin(), claim.readings.end(), [](const Reading& r) { return r.tells_where(); });
}

/// The verdict that holds under all criteria: met if it is under each, unclear if it is under one and no other fails,
/// else as far off as under the worst.
Verdict worst_of(const std::vector<UnderCriterion>& under) {
  const auto rank = [](const Verdict& verdict) { return verdict.met ? 0 : verdict.unclear.empty() ? 2 : 1; };
  Verdict worst = under.front().verdict;
  for (const UnderCriterion& one : under) {
    const Verdict& verdict = one.verdict;
    const bool both_fail = rank(verdict) == 2 && rank(worst) == 2;
    const bool worse =
        both_fail ? worst.off && (!verdict.off || *verdict.off > *worst.off) : rank(verdict) > rank(worst);
    if (worse) worst = verdict;
  }
  return worst;
}

/// Where the intervals of what a claim reads lie. Empty for a claim that is not about bounds, and where a value is missing
/// or has no interval.
std::string interval_place(const Claim& claim, const Figure& figure, const std::vector<PointResult>& results,
                           std::size_t criterion) {
  const Expectation& paper = claim.paper;
  if (claim.directional() || paper.reach || figure.repeats.count() == 1) return "";
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double least = paper.min ? *paper.min - paper.rounding : -kNone;
  const double most = paper.max ? *paper.max + paper.rounding : kNone;
  std::vector<FigureValues> each;
  for (std::size_t repeat = 0; repeat < figure.repeats.count(); ++repeat) {
    each.push_back(values_under(figure, results, criterion, repeat));
  }
  bool inside = true;
  for (const Reading& reading : claim.readings) {
    const std::size_t size = values_of(reading, figure.axes, each.front()).size();
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<double> values;
      for (const FigureValues& one : each) values.push_back(values_of(reading, figure.axes, one)[at]);
      if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return "";
      const MeanInterval interval = *mean_interval(values);
      const double low = interval.mean - *interval.half_width, high = interval.mean + *interval.half_width;
      if (high < least || low > most) return "outside";
      inside = inside && low >= least && high <= most;
    }
  }
  return inside ? "inside" : "across";
}

}  // namespace

FigureValues values_under(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion,
                          std::optional<std::size_t> repeat) {
  FigureValues values;
  values.of.resize(figure.axes.series.size());
  for (auto& series : values.of) {
    series.assign(figure.axes.sweep.size(), std::vector<double>(figure.axes.metrics.size(), 0.0));
  }
  if (!figure.timeline) {
    values.runs.assign(figure.axes.series.size(), std::vector<std::string>(figure.axes.sweep.size()));
  }
  const double share = repeat ? 1.0 : 1.0 / static_cast<double>(figure.repeats.count());
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const FigurePoint& point = figure.points[i];
    if (repeat && point.repeat != *repeat) continue;
    const PointResult& result = results[i * figure.criteria() + criterion];
    const std::vector<double>& from = result.values;
    if (!figure.timeline) values.runs[point.series][point.sweep] += result.hash + ' ';
    for (std::size_t window = 0; window < figure.windows(); ++window) {
      std::vector<double>& to = values.of[point.series][point.sweep + window];
      for (std::size_t m = 0; m < to.size(); ++m) to[m] += share * from[window * to.size() + m];
    }
  }
  return values;
}

std::vector<JudgedClaim> judge_claims(const Figure& figure, const std::vector<PointResult>& results) {
  const std::size_t judging = judging_criterion(figure);
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : figure.claims) {
    std::vector<UnderCriterion> under;
    for (std::size_t c = 0; c < figure.criteria(); ++c) under.push_back(judge_under(claim, figure, results, c));
    const bool by_one = is_printed_value(claim);
    Verdict verdict = by_one ? under[judging].verdict : worst_of(under);
    verdict.simulated.clear();
    std::string failing;
    for (std::size_t c = 0; c < under.size(); ++c) {
      if (under.size() == 1) {
        verdict.simulated = simulated_text(claim, figure, under[c]);
        continue;
      }
      const KneeCriterion& criterion = figure.knee->criteria[c];
      verdict.simulated +=
          fmt::format("{}{}: {}", c == 0 ? "" : "; ", criterion.name, simulated_text(claim, figure, under[c]));
      if (!under[c].verdict.met) failing += (failing.empty() ? "" : ", ") + criterion.name;
    }
    const bool fitted = std::any_of(figure.calibrated.begin(), figure.calibrated.end(),
                                    [&](const Calibration& constant) { return constant.on == claim.id; });
    std::string text = verdict.text(claim);
    if (!by_one && !failing.empty()) text += " (" + failing + ")";
    if (fitted) text += " (fitted)";
    judged.push_back({&claim, std::move(verdict), std::move(text), interval_place(claim, figure, results, judging)});
  }
  return judged;
}

}  // namespace racksim::tools
