// The folder in which `racksim run --out` keeps a run:
//
//   config.json       every parameter in effect, as a scenario that reads back as the same run
//   checkpoints.json  the hash checkpoints (checkpoints.hpp)
//   report.json       what `racksim run --json` prints
#pragma once

#include <string>

#include "tools/experiment/checkpoints.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/json/json_document.hpp"
#include "tools/report/report.hpp"

namespace racksim::tools {

/// A run as its folder keeps it.
struct StoredRun {
  JsonValue configuration;
  JsonValue report;
  Checkpoints checkpoints;

  /// The run hash that the report gives.
  std::string hash() const;
};

/// What a run's folder will keep of it; the report says as much as report_json says with that `origin`.
StoredRun stored_run(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                     const RunOrigin* origin = nullptr);

/// Throws what writing the files would throw, before the run, and InputError if the scenario's trace would be one of them.
void check_run_folder(const std::string& folder, const Scenario& scenario, const std::string& command,
                      const std::string& option);

/// Writes the files, making the folder if need be. Throws InputError that names `command` and `option`.
void write_run_folder(const std::string& folder, const StoredRun& run, const std::string& command,
                      const std::string& option);

/// Throws InputError if the folder or one of its files is missing or no such file.
StoredRun read_run_folder(const std::string& folder);

/// The whole run as one document and back, to pass it between processes.
JsonValue run_json(const StoredRun& run);
StoredRun read_run_json(const JsonValue& value, const std::string& name);

}  // namespace racksim::tools
