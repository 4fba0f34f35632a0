// An experiment: a scenario in, a report out. Assembles what the scenario says (assembly.hpp), takes it through the
// phases (phases.hpp) under the eyes of the oracles (watch.hpp), and holds the result against what the scenario
// expects.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/metrics/metrics.hpp"
#include "sim/record/coverage.hpp"
#include "tools/experiment/phases.hpp"
#include "tools/experiment/run_result.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// Told when everything stands and the warm-up is done, just before the first event: may attach observers.
using AttachObservers = std::function<void(models::Rack& rack, const models::Protocol& protocol)>;

/// The scenario's parts, and what it asks of the watch.
Parts parts_of(const Scenario& scenario, sim::Coverage* coverage);
Watch::Terms watch_terms(const Scenario& scenario);

/// Runs a scenario. One call per process: SimGrid's engine cannot be made twice. Metrics are left in `metrics`.
/// `report_folder` is where relative observation files go; empty for the current folder. `coverage`, if given, must be
/// of the protocol's map and learns what the run exercised.
/// `begins` is called when everything is built, and nothing is left to refuse but what warming up may show.
/// Throws InputError when options do not fit each other, Interrupted (interruption.hpp) when the program is asked to
/// stop, OutputError when an observation cannot be written, sim::ModuleMissing without SimGrid, and RunFailure (run_failure.hpp) for whatever else tasks,
/// actors, observers or the oracles throw.
RunResult run_experiment(const Scenario& scenario, sim::Metrics& metrics, const std::string& report_folder,
                         const Progress& progress, sim::Coverage* coverage = nullptr,
                         const AttachObservers& attach_observers = {}, const std::function<void()>& begins = {});

/// Registers the metrics of a run of the scenario, which stay nothing. Builds the rack and runs nothing. Throws
/// InputError as `run_experiment` does.
void register_metrics(const Scenario& scenario, sim::Metrics& metrics);

/// The names that `metric_value` (run_metrics.hpp) would know after a run of the scenario, in alphabetical order.
/// Builds the rack and runs nothing. Throws InputError as `run_experiment` does.
std::vector<std::string> metric_names(const Scenario& scenario);

/// Throws InputError as `run_experiment` does before it runs: for options that do not fit each other, and when the
/// scenario expects something of a metric that the run would not report. Builds the rack and runs nothing.
void check_experiment(const Scenario& scenario);

/// Throws InputError at `place` if no operation of the scenario can be about this block or key. Builds the rack and
/// runs nothing.
void check_key(const Scenario& scenario, sim::Key key, const JsonLocation& place);

}  // namespace racksim::tools
