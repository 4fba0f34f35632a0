// Verdicts on a figure's claims from all its runs: several criteria of a knee, several placements of keys. See
// figure_report.hpp.
#include <fmt/core.h>

#include <algorithm>

#include "tools/figure/figure_report.hpp"

namespace racksim::tools {
namespace {

/// What one criterion gives.
struct UnderCriterion {
  Verdict verdict;                  // of the means over the placements
  std::vector<Verdict> placements;  // of each; empty if there is only one
};

UnderCriterion judge_under(const Claim& claim, const Figure& figure, const std::vector<PointResult>& results,
                           std::size_t criterion) {
  UnderCriterion under;
  under.verdict = judge(claim, figure.axes, values_under(figure, results, criterion));
  if (figure.placement_count() == 1) return under;
  for (std::size_t placement = 0; placement < figure.placement_count(); ++placement) {
    under.placements.push_back(judge(claim, figure.axes, values_under(figure, results, criterion, placement)));
  }
  return under;
}

/// What was read, and what of it hangs on the placement: "2.86 (2.71 | 2.99)", "3 2 1 (in 2 of 3 placements)".
std::string simulated_text(const Claim& claim, const UnderCriterion& under) {
  if (under.placements.empty()) return under.verdict.simulated;
  if (claim.directional()) {
    const auto same = std::count_if(under.placements.begin(), under.placements.end(),
                                    [&](const Verdict& v) { return v.met == under.verdict.met; });
    return fmt::format("{} ({} in {} of {} placements)", under.verdict.simulated, under.verdict.met ? "so" : "not so",
                       same, under.placements.size());
  }
  std::string each;
  for (const Verdict& verdict : under.placements) each += (each.empty() ? "" : " | ") + verdict.simulated;
  return fmt::format("{} ({})", under.verdict.simulated, each);
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
  const auto tells_where = [](const Reading& reading) {
    return reading.op == Reading::Operator::x_of_max || reading.op == Reading::Operator::x_of_min ||
           reading.op == Reading::Operator::reaches;
  };
  return !claim.directional() && paper.min && paper.max && *paper.min == *paper.max &&
         std::none_of(claim.readings.begin(), claim.readings.end(), tells_where);
}

/// The verdict that holds under all criteria: met if it is under each, else as far off as under the worst.
Verdict worst_of(const std::vector<UnderCriterion>& under) {
  Verdict verdict = under.front().verdict;
  for (const UnderCriterion& one : under) {
    if (one.verdict.met) continue;
    const bool no_value = !verdict.met && !verdict.off;
    if (verdict.met || !one.verdict.off || (!no_value && *one.verdict.off > *verdict.off)) verdict = one.verdict;
  }
  return verdict;
}

}  // namespace

FigureValues values_under(const Figure& figure, const std::vector<PointResult>& results, std::size_t criterion,
                          std::optional<std::size_t> placement) {
  FigureValues values;
  values.of.resize(figure.axes.series.size());
  for (auto& series : values.of) {
    series.assign(figure.axes.sweep.size(), std::vector<double>(figure.axes.metrics.size(), 0.0));
  }
  const double share = placement ? 1.0 : 1.0 / static_cast<double>(figure.placement_count());
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    const FigurePoint& point = figure.points[i];
    if (placement && point.placement != *placement) continue;
    const std::vector<double>& from = results[i * figure.criteria() + criterion].values;
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
        verdict.simulated = simulated_text(claim, under[c]);
        continue;
      }
      const KneeCriterion& criterion = figure.knee->criteria[c];
      verdict.simulated += fmt::format("{}{}: {}", c == 0 ? "" : "; ", criterion.name, simulated_text(claim, under[c]));
      if (!under[c].verdict.met) failing += (failing.empty() ? "" : ", ") + criterion.name;
    }
    const bool fitted = std::any_of(figure.calibrated.begin(), figure.calibrated.end(),
                                    [&](const Calibration& constant) { return constant.on == claim.id; });
    std::string text = verdict.text(claim);
    if (!by_one && !failing.empty()) text += " (" + failing + ")";
    if (fitted) text += " (fitted)";
    judged.push_back({&claim, std::move(verdict), std::move(text)});
  }
  return judged;
}

}  // namespace racksim::tools
