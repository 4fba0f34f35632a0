// The knee of a scenario for each of several seeds, and how well they tell where it lies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"
#include "tools/knee/knee_runs.hpp"

namespace racksim::tools {

struct KneeOfSeed {
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> load;  ///< of the knee; none if it was not found
  Probe probe;                        ///< at that load
  bool monotonic = true;
  std::string problem;  ///< why there is none; empty if there is
};

/// Which seeds, and how many searches at a time.
struct KneeSeeds {
  std::uint64_t first = 1;
  std::size_t count = 1;
  unsigned jobs = 1;
};

/// Looks for the knee under the plan's first criterion with each seed, in the order of seeds; fewer if the program is
/// interrupted. Throws as `run_in_order` (tools/seeds/ordered_work.hpp).
std::vector<KneeOfSeed> find_knees(const KneePlan& plan, const ScenarioAt& scenario_at, const KneeSeeds& seeds,
                                   const std::function<void(std::size_t done)>& progress);

/// A line for each seed, then the mean load with its interval, and the throughput's.
std::string knees_text(const Scenario& scenario, const KneePlan& plan, const std::vector<KneeOfSeed>& knees);
/// Keys: scenario, load, loss, tolerance, confidence, knee and throughput_mops (mean, half_width, least, most; null where
/// no knee was found), knees (seed, knee as without seeds, monotonic, problem).
JsonValue knees_json(const Scenario& scenario, const KneePlan& plan, const std::vector<KneeOfSeed>& knees);

}  // namespace racksim::tools
