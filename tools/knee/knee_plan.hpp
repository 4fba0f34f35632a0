// What is asked of a knee: which load rises, between which bounds, how short its probes are, and how much may be lost.
//
//   "knee": {"load": "workload.rate", "from": 1000000, "to": 16000000, "tolerance": 0.015,
//            "probe": {"run.measure": "20ms"},          over the scenario, for the search alone
//            "criteria": [{"name": "artifact", "loss": 0.02, "doc": "..."},
//                         {"name": "fitted", "loss": 0.19, "calibrated": "a claim's id", "doc": "..."}]}
//
// Who looks for a knee overloads the rack on purpose: `run.expect_timeouts` is set in all its runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/knee/knee_search.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// How much may be lost.
struct KneeCriterion {
  std::string name;
  double loss = 0;         ///< share of the operations that began in the measured time, from 0 to below 1
  std::string calibrated;  ///< what it was fitted to; empty if it was not
  std::string doc;
};

struct KneePlan {
  std::string load = "workload.rate";  ///< path of the option that rises
  KneeBounds bounds;
  std::vector<std::string> probe;  ///< for the search alone, as `--set` takes it
  std::vector<KneeCriterion> criteria;

  /// As `--set` takes it: the load, and that timeouts are expected.
  std::vector<std::string> overrides_at(std::uint64_t load_value) const;
  /// The same with what is for probes alone.
  std::vector<std::string> probe_overrides_at(std::uint64_t load_value) const;
};

/// The metric that a knee is about.
inline constexpr const char* kLossMetric = "store.loss";

/// Reads a plan. Throws InputError, among others for bounds the wrong way round and criteria outside of [0, 1).
KneePlan read_knee_plan(const JsonValue& value, const JsonLocation& place);
/// Checks one that was put together otherwise; `named` gives the place of what a member is called above.
void check_knee_plan(const KneePlan& plan, const std::function<JsonLocation(const char* named)>& places);

/// Throws InputError at `place` if the scenario has no such load, or its clients have none to raise. Builds the rack
/// and runs nothing.
void check_knee_of(const Scenario& scenario, const KneePlan& plan, const JsonLocation& place);

}  // namespace racksim::tools
