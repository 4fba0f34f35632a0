// An experiment: a scenario in, a report out. Builds rack, protocol, workload and faults, runs the phases, and lets the
// oracles judge.
//
//   warm-up     the functional warm-up outside time, then simulated time that is not measured
//   measure     what the metrics speak of
//   heal        faults end, sessions finish the operation they are in
//   drain       until everything has come to rest, or the drain's time is over: then the quiescence oracles speak
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/coverage.hpp"
#include "sim/record/history.hpp"
#include "sim/record/run_hash.hpp"
#include "tools/experiment/ladder.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::models {
class Rack;
class Protocol;
}  // namespace racksim::models

namespace racksim::tools {

/// A write that was acknowledged, and that a crash has undone, as the protocol says that it may.
struct LostWrite {
  std::uint64_t key = 0, value = 0;
  std::string author;  ///< its session
  sim::Time at;
  sim::Loss why{};
};

/// What a run has given.
struct RunResult {
  bool pass = true;                        ///< no violation, no failed expectation, the run came to its end
  std::vector<sim::Violation> violations;  ///< those that the oracles kept
  std::uint64_t violation_count = 0;       ///< all of them
  std::vector<std::string> failed_expectations;
  std::vector<LostWrite> lost_writes;  ///< the first ones
  std::uint64_t lost_write_count = 0;  ///< all of them
  sim::RunHash hash;
  std::uint64_t events = 0;
  sim::Time simulated;
  sim::Duration measured;
  std::uint64_t operations = 0;
  double wall_seconds = 0;
  Ladder ladder;
};

/// Told now and then how far a run is: simulated time and operations so far.
using Progress = std::function<void(sim::Time now, std::uint64_t operations)>;

/// Told when everything stands and the warm-up is done, just before the first event: may attach observers.
using Onlooker = std::function<void(models::Rack& rack, const models::Protocol& protocol)>;

/// Runs a scenario. One call per process: SimGrid's engine cannot be made twice. Metrics are left in `metrics`.
/// `report_folder` is where relative observation files go; empty for the current folder. `coverage`, if given, must be
/// of the protocol's map and learns what the run exercised.
/// Throws InputError when options do not fit each other, Interrupted (interruption.hpp) when the program is asked to
/// stop, and std::exception for defects.
RunResult run_experiment(const Scenario& scenario, sim::Metrics& metrics, const std::string& report_folder,
                         const Progress& progress, sim::Coverage* coverage = nullptr, const Onlooker& onlooker = {});

/// The names that `metric_value` (run_metrics.hpp) would know after a run of the scenario, in alphabetical order.
/// Builds the rack and runs nothing. Throws InputError as `run_experiment` does.
std::vector<std::string> metric_names(const Scenario& scenario);

/// Throws InputError as `run_experiment` does before it runs: for options that do not fit each other, and when the
/// scenario expects something of a metric that the run would not report. Builds the rack and runs nothing.
void check_experiment(const Scenario& scenario);

/// Throws InputError at `place` if no operation of the scenario can be about this block or key. Builds the rack and
/// runs nothing.
void check_key(const Scenario& scenario, std::uint64_t key, const Place& place);

}  // namespace racksim::tools
