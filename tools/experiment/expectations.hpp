// What a scenario's `expect` says, held against a run.
#pragma once

#include "sim/metrics/metrics.hpp"
#include "tools/experiment/run_result.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// For before the run, when all metrics are registered: throws InputError, with the nearest name, when bounds or a
/// baseline are expected of a metric that the run will not report.
void check_expected_metrics(const Scenario& scenario, const sim::Metrics& metrics);

/// Notes in `result` which expectations the run fails, and lets its `pass` follow. The metrics exist, as
/// check_expected_metrics has found.
void judge_expectations(const Scenario& scenario, const sim::Metrics& metrics, RunResult& result);

}  // namespace racksim::tools
