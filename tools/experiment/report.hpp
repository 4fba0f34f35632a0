// The report of a run: as JSON with fixed keys, and as text for people.
#pragma once

#include <cstdint>
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

/// Which numbers a page has: those that are shown always, or all that are meant for a person.
enum class Detail : std::uint8_t { usual, all };

/// Commands for a run, as they are printed.
struct RunCommands {
  std::string replay;   ///< what runs it again
  std::string explain;  ///< what explains it; empty if nothing can
};

/// A page for the terminal. The commands are printed when something failed.
std::string report_text(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                        const RunCommands& commands, Detail detail = Detail::usual);

}  // namespace racksim::tools
