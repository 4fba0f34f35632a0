// Verdicts on a figure's claims from all its runs: several criteria of a knee, several seeds or placements of keys. See
// figure_report.hpp.
#include <fmt/core.h>

#include <algorithm>

#include "tools/figure/claim_over_runs.hpp"
#include "tools/figure/figure_report.hpp"
#include "tools/figure/figure_spread.hpp"

namespace racksim::tools {
namespace {

/// Over all seeds or placements.
Verdict judge_under(const Claim& claim, const Figure& figure, const std::vector<PointResult>& results,
                    std::size_t criterion) {
  const FigureValues mean = values_under(figure, results, criterion);
  if (figure.repeats.count() == 1) return judge(claim, figure.axes, mean);
  std::vector<FigureValues> each;
  for (std::size_t sample = 0; sample < figure.repeats.count(); ++sample) {
    each.push_back(values_under(figure, results, criterion, sample));
  }
  return judge_over_runs(claim, figure.axes, mean, each, figure.repeats.samples_text());
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
Verdict worst_of(const std::vector<Verdict>& under) {
  const auto rank = [](const Verdict& verdict) { return verdict.met ? 0 : verdict.unclear.empty() ? 2 : 1; };
  Verdict worst = under.front();
  for (const Verdict& verdict : under) {
    const bool both_fail = rank(verdict) == 2 && rank(worst) == 2;
    const bool worse =
        both_fail ? worst.off && (!verdict.off || *verdict.off > *worst.off) : rank(verdict) > rank(worst);
    if (worse) worst = verdict;
  }
  return worst;
}

}  // namespace

std::vector<JudgedClaim> judge_claims(const Figure& figure, const std::vector<PointResult>& results) {
  const std::size_t judging = judging_criterion(figure);
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : figure.claims) {
    std::vector<Verdict> under;
    for (std::size_t c = 0; c < figure.criteria(); ++c) under.push_back(judge_under(claim, figure, results, c));
    const bool by_one = is_printed_value(claim);
    Verdict verdict = by_one ? under[judging] : worst_of(under);
    verdict.simulated.clear();
    std::string failing;
    for (std::size_t c = 0; c < under.size(); ++c) {
      if (under.size() == 1) {
        verdict.simulated = under[c].simulated;
        continue;
      }
      const KneeCriterion& criterion = figure.knee->criteria[c];
      verdict.simulated += fmt::format("{}{}: {}", c == 0 ? "" : "; ", criterion.name, under[c].simulated);
      if (!under[c].met) failing += (failing.empty() ? "" : ", ") + criterion.name;
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
