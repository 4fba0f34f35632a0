// What a figure prints: its points, and the claims as a table or as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// A claim of the figure, and how it came out. With several criteria of a knee, a claim is met if it is under each of
/// them, but for one about a value that the paper prints, such as a ratio: that is judged under the criterion that was
/// fitted (the last, if none was), with what the others give beside it. With several seeds or placements of keys verdicts
/// rest on 95 % intervals (claim_over_runs.hpp).
struct JudgedClaim {
  const Claim* claim;
  Verdict verdict;   ///< `simulated` is what all criteria gave, the mean over seeds or placements and each of them
  std::string text;  ///< the verdict in words; says so if a constant was fitted to the claim
};
std::vector<JudgedClaim> judge_claims(const Figure& figure, const std::vector<PointResult>& results);

/// Whether a metric of a figure over time is one of the whole runs, the same in all windows.
bool is_of_whole_runs(const Figure& figure, const std::vector<PointResult>& results, std::size_t metric);

/// A value of the sweep, or a window of time: "0.4", "1 .. 1.5 (drawn)".
std::string x_text(const Figure& figure, std::size_t x);

/// A metric's short name with its unit: "latency (ns)".
std::string with_unit(const Figure& figure, std::size_t metric);

/// The series as columns, with how many seeds or placements; then claim by claim: what the paper says, what was
/// simulated, met or off by how much, and which series it was read off at which x; then the constants that were fitted,
/// and what is not modelled.
std::string figure_text(const Figure& figure, const std::vector<PointResult>& results);

/// The same, for programs.
JsonValue figure_json(const Figure& figure, const std::vector<PointResult>& results);

}  // namespace racksim::tools
