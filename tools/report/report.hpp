// The report of a run for programs: JSON with fixed keys. That for people is report_text.hpp.
#pragma once

#include <string>

#include "tools/experiment/experiment.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// What a report says of where it comes from, if that is known: the run itself does not know it.
struct RunOrigin {
  std::string command;  ///< that runs it again
  JsonValue inputs;     ///< inputs_json (provenance.hpp)
};

/// Keys: format, scenario, protocol, seed, verdict, violations, failed_expectations, run_hash, events, simulated_ns,
/// wall_s, wall, steady_state (steady_state.hpp), busiest, limited_by, metrics, whole_run, provenance, config. `metrics` holds operations, throughput_mops and latency_ns, and
/// every registered metric by name, all of the measured phase; `whole_run` what each counter has counted in all of the
/// run. `wall` is all else of real time, with the profile where one was asked for.
/// With an `origin`, for a reader who has nothing but the report, also: command, inputs, histograms (the buckets of each,
/// [from, until, count] in ns), metric_descriptions (unit, kind and a sentence of each).
/// But for wall_s, wall and command, reports of equal runs are equal.
JsonValue report_json(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                      const RunOrigin* origin = nullptr);

/// The JSON Schema of such a report.
JsonValue report_schema();
/// Throws InputError where a document is no such report. Whether this build knows the options in its `config` is not
/// asked.
void check_report(const JsonValue& document, const std::string& file);

}  // namespace racksim::tools
