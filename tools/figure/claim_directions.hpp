// A claim about a direction, judged over several seeds or placements by the paired differences of what it compares: the
// two sides of "A > B" were run with the same seeds, and what those do to both cancels out.
//
// A pair holds, or holds not, where the 95 % interval of its mean difference lies on one side of 0; with several pairs
// Holm's correction is made for all of them. What counts as equal (`tolerance`, figure_claim.hpp) moves the difference by
// so much. Pairs:
//
//   order                    neighbours, at each x; "~" and "slightly" are two: no further apart upwards, nor downwards
//   monotone, non_...        neighbours along the curve
//   flat                     each value and that which is the largest in the mean
//   rise_then_fall, ...      neighbours along the curve: it must rise, then fall, whatever a step at the top does
//   to_value                 the last value and the two that are just admitted
//
// A difference that is the same in all runs has no interval: its sign tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/figure/figure_claim.hpp"

namespace racksim::tools {

struct DirectionOverRuns {
  bool met = false;
  std::string unclear;  ///< why not told; empty if the claim is met or fails
  bool same = false;    ///< every difference is the same in all runs
};

/// `mean` are the means of `each`, of which there are two or more. None of a crossing: where a curve passes a level is no
/// difference of two values.
std::optional<DirectionOverRuns> judge_direction(const Claim& claim, const FigureAxes& axes, const FigureValues& mean,
                                                 const std::vector<FigureValues>& each);

}  // namespace racksim::tools
