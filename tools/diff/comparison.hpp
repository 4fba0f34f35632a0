// Two runs compared: parameters, the first observation in which they part, and metrics.
//
// The checkpoints of both runs give the interval in which they part; both are then executed again, tracing that window
// alone. A stored run that this program no longer reproduces (it was kept from another version) cannot be: then the
// interval, the places and the metrics are what there is, unless the program that made it is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/diff/run_difference.hpp"
#include "tools/experiment/observation_trace.hpp"
#include "tools/report/run_folder.hpp"

namespace racksim::tools {

/// One side as the command line names it.
struct ComparedRun {
  std::string given;                     ///< a run folder or a scenario file
  std::string program;                   ///< the racksim that executes it; empty for this one
  std::vector<std::string> overrides{};  ///< "path=value", applied to the scenario, which is then run
};

/// The scenario that executes a side: the file, or the configuration in the folder. Throws InputError if there is none.
std::string scenario_file_of(const ComparedRun& run);

struct RunComparison {
  StoredRun a, b;
  std::vector<ParameterDifference> parameters;
  std::optional<Divergence> divergence;   ///< nothing if no place observed anything different
  std::optional<FirstDifference> first;   ///< nothing if there is none, or it could not be looked for
  std::vector<MetricDifference> metrics;  ///< all of them
  std::vector<std::string> notes;         ///< what the reader must know of how this was found

  bool same_hash() const { return a.hash() == b.hash(); }
  /// The same hash and no metric that differs.
  bool same() const;
};

/// Compares two runs; scenario files are run first. Throws InputError if one is no run.
RunComparison compare_runs(const ComparedRun& a, const ComparedRun& b, const Catalogue& catalogue);

/// What people read; `all_metrics` also shows those that do not differ.
std::string comparison_text(const ComparedRun& a, const ComparedRun& b, const RunComparison& comparison,
                            bool all_metrics);
/// Keys: same, a, b, parameters, parted, first_difference, metrics, notes, provenance (of this program).
JsonValue comparison_json(const ComparedRun& a, const ComparedRun& b, const RunComparison& comparison,
                          bool all_metrics);

}  // namespace racksim::tools
