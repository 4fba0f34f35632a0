// What a figure prints and writes: the points as CSV, the claims as a table or as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/figure/figure_runs.hpp"

namespace racksim::tools {

/// A claim of the figure, and how it came out.
struct JudgedClaim {
  const Claim* claim;
  Verdict verdict;
  std::string text;  ///< the verdict in words; says so if a constant was fitted to the claim
};
std::vector<JudgedClaim> judge_claims(const Figure& figure, const std::vector<PointResult>& results);

/// One row per point: the x value, the series, the metrics, the verdict of the oracles and the run hash.
std::string figure_csv(const Figure& figure, const std::vector<PointResult>& results);

/// The series as columns, then claim by claim: what the paper says, what was simulated, met or off by how much; then
/// the constants that were fitted, and what is not modelled.
std::string figure_text(const Figure& figure, const std::vector<PointResult>& results);

/// The same, for programs.
JsonValue figure_json(const Figure& figure, const std::vector<PointResult>& results);

}  // namespace racksim::tools
