// What a scenario's `expect` says, held against a run.
#pragma once

#include "sim/metrics.hpp"
#include "tools/experiment.hpp"

namespace racksim::tools {

/// Notes in `result` which expectations the run fails, and lets its `pass` follow. Throws InputError, with the nearest
/// valid name, when a metric is expected that the run does not report.
void judge_expectations(const Scenario& scenario, const sim::Metrics& metrics, RunResult& result);

}  // namespace racksim::tools
