// A regression suite: the scenarios of some folders, and the cases of suite files (composition.hpp), run in child processes and judged by their expectations and stored
// baselines. A run that crashes or hangs fails its own row and no other.
//
// If asked for, each scenario is also run in the other execution modes (switch passes fused, stepped or interpreted, idle passes
// skipped or run): verdict, run hash, violations, length and every metric must be those of its own mode.
//
// Folders are searched to any depth, but for those named `baselines`, `testbeds`, `parts`, `figures` and `schema`, which
// hold JSON of other kinds.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/experiment/baseline.hpp"
#include "tools/processes/child_processes.hpp"

namespace racksim::tools {

/// One scenario of a suite.
struct SuiteEntry {
  std::string folder;  ///< the argument under which it was found
  std::string name;    ///< its path in there without ".json"
  std::string file;
};

/// What a suite consists of.
struct SuiteFiles {
  std::vector<SuiteEntry> scenarios;         ///< in the order of the arguments, then of the names
  std::vector<std::string> stale_baselines;  ///< files whose scenario is gone
};

/// Finds the scenarios below folders, each case of a suite file by itself; a single file or FILE/CASE is taken too. A path that does not exist is looked up in
/// the scenarios folder that comes with the program. Throws InputError if one cannot be found or holds no scenario.
SuiteFiles find_suite(const std::vector<std::string>& paths);

/// How often a scenario that expects a violation has shown it.
struct SeedCount {
  unsigned run = 0;                   ///< seeds, its own among them
  std::vector<std::uint64_t> missed;  ///< those with which its expectations were not met, ascending
};

/// A manner of executing switch passes, which changes nothing that is seen from outside.
struct ExecutionMode {
  Execution execution = Execution::fused;
  IdlePasses idle_passes = IdlePasses::skip;  ///< matters to fused passes alone

  /// As `--set` takes it: "run.execution=stepped".
  std::vector<std::string> overrides() const;
  bool operator==(const ExecutionMode&) const = default;
};

/// The modes beside a scenario's own.
std::vector<ExecutionMode> other_modes(const Scenario& scenario);

/// How one scenario came out.
struct SuiteResult {
  std::vector<std::string> failures;  ///< of the run itself: violations, expectations, or why it did not end
  BaselineVerdict baseline;           ///< filled only if the run itself went well
  std::optional<SeedCount> seeds;     ///< filled by `run_other_seeds` (suite_seeds.hpp)
  Baseline now;                       ///< what a renewed baseline would hold
  bool ended = false;                 ///< the run came to its end and could be judged
  bool skipped = false;               ///< the program was interrupted before that: there is no result
  double seconds = 0;                 ///< of real time, all modes together
  std::size_t modes = 1;              ///< in how many modes it was run
  std::string report;                 ///< what every mode must give alike, as JSON

  bool run_passed() const { return failures.empty() && !skipped; }
  bool passed() const { return run_passed() && baseline.failures.empty(); }
};

/// Judges what a scenario's child has answered, or how it ended.
SuiteResult judge(const Scenario& scenario, const std::optional<Baseline>& stored, const ChildResult& child);

/// In the child: runs the scenario and answers in the form that `judge` reads.
std::string run_for_suite(const Scenario& scenario);

/// In the child: runs the scenario in another mode and answers with what every mode must give alike.
std::string run_in_mode(Scenario scenario, const ExecutionMode& mode);

/// Holds the child's answer against what the scenario's own mode has given; each difference is a failure of `result`.
void judge_mode(const std::string& file, const ExecutionMode& mode, const ChildResult& child, SuiteResult& result);

/// One scenario ready to run.
struct SuiteScenario {
  SuiteEntry entry;
  Scenario scenario;
  std::optional<Baseline> stored;
};

/// Reads scenario and baseline. Throws InputError, also for what is expected of metrics that the run would not report.
SuiteScenario load_suite_scenario(const SuiteEntry& entry, const Catalogue& catalogue);

/// Told now and then how many scenarios are done.
using SuiteProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Runs all, at most `jobs` at a time and each for at most `limit` of real time; results in the order of `scenarios`.
/// With `all_modes`, those that ended are then run in the other modes too.
/// Once the program is interrupted (interruption.hpp), those that have not ended are skipped.
std::vector<SuiteResult> run_suite(const std::vector<SuiteScenario>& scenarios, unsigned jobs,
                                   std::chrono::milliseconds limit, bool all_modes, const SuiteProgress& progress);

}  // namespace racksim::tools
