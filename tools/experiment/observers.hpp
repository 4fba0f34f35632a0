// What the scenario's `observe` asks for: a trace, the file of operations, series. Outside the run hash.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/record/event_log.hpp"
#include "tools/experiment/assembly.hpp"
#include "tools/experiment/metric_series.hpp"
#include "tools/files/disk_room.hpp"
#include "tools/files/write_file.hpp"
#include "tools/recording/operation_file.hpp"
#include "tools/recording/trace_room.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// Throws what beginning the scenario's files would throw, in the current folder if they have none; leaves nothing.
void check_observed_files(const Scenario& scenario);

class Observers {
 public:
  /// Registers series in the report. Files are begun if there is a `folder` for those without one. All metrics must be
  /// registered. Throws InputError where something is asked for that cannot be. Both must outlive it.
  Observers(const Scenario& scenario, Assembly& assembly, const std::string* folder);
  ~Observers();

  /// The rack has been warmed up, and the run begins.
  void begin();
  /// The run is over: files get their names. Throws OutputError if not all could be written.
  void keep_files();

 private:
  class OperationSeries;
  class SeriesWriter;

  std::unique_ptr<OperationSeries> operation_series_;
  std::optional<DraftFile> trace_file_;
  std::optional<TraceWithRoom> trace_;
  std::optional<OperationFile> operations_;
  std::optional<MetricSeries> series_;
  std::unique_ptr<SeriesWriter> series_writer_;
};

}  // namespace racksim::tools
