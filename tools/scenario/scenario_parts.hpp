// The scenario's fixed parts whose forms are richer than declared parameters: phases, checks, observations and
// expectations.
#pragma once

#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/run_plan.hpp"

namespace racksim::tools {

/// `run`. Throws InputError, as all of these do.
RunPlan read_run_plan(const JsonValue& value, const JsonLocation& place);
/// The other way round; `with_execution` tells whether to include what cannot change the results.
JsonValue write_run_plan(RunPlan plan, bool with_execution);

/// `observe`.
Observation read_observation(const JsonValue& value, const JsonLocation& place);
JsonValue write_observation(Observation observation);

/// `check`: a flag for each oracle, "all" for those that are neither named nor implied by others, and the options of
/// the recorded history. Null means that no oracle is asked for.
/// `promised` names the oracles that the protocol keeps with its options.
std::vector<OracleSwitch> read_checks(const JsonValue* value, const JsonLocation& place,
                                      const std::vector<std::string>& promised,
                                      const std::vector<models::OracleEntry>& oracles, HistoryOptions& history);
JsonValue write_checks(const std::vector<OracleSwitch>& checks, HistoryOptions history);

/// `expect`: "verdict", "violation", "baseline" and bounds for metrics. Whether a metric exists shows only when the run
/// ends.
Expectations read_expectations(const JsonValue& value, const JsonLocation& place,
                               const std::vector<models::OracleEntry>& oracles);
/// What "violation" may name: the oracles, and the other ways in which a run fails.
std::vector<std::string> violation_names(const std::vector<models::OracleEntry>& oracles);
JsonValue write_expectations(const Expectations& expectations);

}  // namespace racksim::tools
