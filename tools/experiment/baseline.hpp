// Stored baselines: what a scenario's run gave when somebody last said that it was right.
//
// The baseline of DIR/NAME.json is DIR/baselines/NAME.json, one small file a scenario, so that a change shows in
// version control as a few lines of that scenario alone:
//
//   {"run_hash": "9f86d081884c7d659a2feaa0c55ad015",       only where the scenario asks for "exact"
//    "metrics": {"latency_ns.mean": 5114.25, "throughput_mops": 1.678}}
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// Folders of this name hold baselines, no scenarios.
inline constexpr const char* kBaselineFolder = "baselines";

struct Baseline {
  std::string run_hash;                   ///< 32 hexadecimal digits; empty if only metrics are stored
  std::map<std::string, double> metrics;  ///< by name
  bool operator==(const Baseline&) const = default;
};

/// Where the baseline of a scenario file, or of FILE/CASE, is kept.
std::filesystem::path baseline_file(const std::string& scenario_file);

/// The stored baseline, or nothing if there is no file. Throws InputError if it cannot be read.
std::optional<Baseline> load_baseline(const std::string& file);
JsonValue baseline_json(const Baseline& baseline);
/// The JSON Schema of a baseline.
JsonValue baseline_schema();

/// The tolerances that a scenario is held to; empty if it is not compared, or by its hash.
std::vector<Tolerance> tolerances_of(const Scenario& scenario);
/// The names of the metrics that its baseline holds: those of its tolerances; beside a hash the usual ones, so that
/// people see what a new hash did to them.
std::vector<std::string> baseline_metrics(const Scenario& scenario);
bool wants_exact_hash(const Scenario& scenario);

/// One stored value beside the present one.
struct Comparison {
  std::string metric;  ///< or "run hash"
  std::optional<double> stored, now;
  std::string allowed;  ///< the tolerance as text; empty if the value is only shown
  bool met = true;
};

/// What came of comparing.
struct BaselineVerdict {
  std::vector<Comparison> comparisons;  ///< metrics in the scenario's order
  std::vector<std::string> failures;    ///< one line each; empty if all is well
};

/// Holds a run's values against the stored ones. Every metric that the scenario asks for must be stored.
BaselineVerdict compare(const Scenario& scenario, const std::optional<Baseline>& stored, const Baseline& now);

}  // namespace racksim::tools
