// Verdicts on a claim from several seeds or placements of keys, by 95 % intervals.
#pragma once

#include <string>
#include <vector>

#include "tools/figure/figure_claim.hpp"

namespace racksim::tools {

/// A claim about numbers is met if the interval of each value read lies inside what is admitted, rounding included; it is
/// off if one lies outside, and else unclear at this precision. "Up to" asks the same of the value that is largest in
/// the mean. What has no interval, since it is infinite or missing in some runs, is inside, outside or neither with every
/// run. One about a direction is judged by paired differences (claim_directions.hpp), a crossing by in how many runs it
/// is there. `mean` are the means of `each`, of which there are two or more, `samples` says what they are ("5 seeds").
///
/// `simulated` is what the means give, the half-width, of several values the largest, and what each run gives:
/// "2.5 ± 0.013 (2.49 | 2.51)", "3 2 1 (so in 2 of 3 placements)".
Verdict judge_over_runs(const Claim& claim, const FigureAxes& axes, const FigureValues& mean,
                        const std::vector<FigureValues>& each, const std::string& samples);

}  // namespace racksim::tools
