// Shrinking: a failing scenario is reduced to a local minimum that still fails in the same way.
//
// Greedy reduction in rounds. Each round tries, dimension by dimension: fewer operations, fewer faults (delta
// debugging: all, halves, single ones), fewer nodes and threads, smaller data, options back to their defaults, the
// plain schedule, simpler and shorter faults. A smaller scenario may need another seed to fail, so each candidate is
// tried with several. A round in which nothing more can be taken away ends it: no single reduction that is known here
// keeps the failure.
//
// Noise that is then left hits many packets of which few matter. So the run is repeated to see which it hit, and how;
// the noise is replaced by faults that name those packets (noise_log.hpp), delta debugging takes away what the failure
// does not need, and the rounds begin anew.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/fuzz/fuzz.hpp"

namespace racksim::tools {

struct ShrinkPlan {
  TrialLimits limits;
  std::uint64_t runs = 2000;                                    ///< most trials
  std::vector<std::uint64_t> seeds = {1, 2, 3, 4, 5, 6, 7, 8};  ///< tried for each candidate after the scenario's own
  /// Runs a document and fills TrialResult::noise; without it noise stays noise.
  ScenarioRunner noise_runner = {};
};

struct ShrinkResult {
  JsonValue document;  ///< the smallest scenario found
  TrialResult result;  ///< how it fails
  std::uint64_t runs = 0;
  std::uint64_t reductions = 0;
  bool minimal = false;      ///< false if the runs were used up first, or the program was interrupted
  bool interrupted = false;  ///< the latter: what was found by then still fails in the same way
};

/// Told after each reduction.
using ShrinkProgress = std::function<void(const ShrinkResult& so_far)>;

/// `failure` is how `document` (a whole scenario, with the rack in its long form) fails; a candidate counts if it
/// `shows` the same kind. The result depends on document and plan (without the number of jobs) alone, unless trials
/// hang. Throws InputError if the document is no valid scenario.
ShrinkResult shrink(JsonValue document, const TrialResult& failure, const Catalogue& catalogue,
                    const ScenarioRunner& runner, const ShrinkPlan& plan, const ShrinkProgress& progress = {});

/// The shrunk scenario as a file: named, and with a `doc` that says what fails and where it comes from. It expects
/// nothing, so that running it fails for as long as the defect is there.
JsonValue shrunk_scenario(const ShrinkResult& shrunk, const std::string& origin);

/// For a terminal: how far shrinking is, and what came of it, written to `file`.
std::string shrinking_line(const ShrinkResult& so_far);
std::string shrink_text(const ShrinkResult& shrunk, const std::string& file);

}  // namespace racksim::tools
