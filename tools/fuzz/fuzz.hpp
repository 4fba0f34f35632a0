// A fuzzing campaign: runs derived from a template, in child processes, until time, count or failures end it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/record/coverage.hpp"
#include "tools/fuzz/swarm.hpp"
#include "tools/fuzz/trial.hpp"

namespace racksim::tools {

struct FuzzPlan {
  std::optional<std::uint64_t> runs;              ///< at most so many
  std::optional<std::chrono::milliseconds> time;  ///< no run begins after so much wall-clock time
  std::uint64_t failures = 1;                     ///< the campaign ends with so many failing runs
  TrialLimits limits;
};

/// One failing run.
struct FuzzFailure {
  std::uint64_t index = 0;
  TrialResult result;
};

/// What a campaign has found. Everything but the wall-clock time depends on template, seed and number of runs alone.
struct FuzzResult {
  explicit FuzzResult(const sim::CoverageMap& map) : coverage(map), runs_reaching(map.points() - map.pairs(), 0) {}

  std::uint64_t runs = 0;     ///< counted, in the order of their numbers, up to the failure that ended the campaign
  std::uint64_t redraws = 0;  ///< how often one was drawn anew, because what it had drawn did not fit each other
  std::uint64_t refused = 0;  ///< of which drew nothing that fits, however often
  std::string first_refusal;  ///< why the first of these was refused
  std::vector<TrialResult::Work> work;  ///< shares of the work, over all runs
  std::vector<std::uint64_t> drawn;     ///< by Swarm::draws: how many runs had it
  std::vector<FuzzFailure> failures;
  sim::Coverage coverage;
  std::vector<std::uint64_t> runs_reaching;  ///< by race point, and then row: how many runs have reached it
  /// A run that was not refused: its number, and how often it was drawn anew.
  struct Run {
    std::uint64_t index = 0, redraws = 0;
  };
  std::vector<Run> ran;
  std::uint64_t operations = 0, events = 0;
  double wall_seconds = 0;
  std::string trouble;       ///< why no more could be run, if failures had been found before: what the system refused
  bool interrupted = false;  ///< before its end: what is here is of the runs before that
};

/// How one derived scenario is run: with racksim itself, or with something else in tests.
using ScenarioRunner = std::function<TrialResult(const JsonValue& document)>;

/// Runs a document as racksim does.
ScenarioRunner scenario_runner(const Catalogue& catalogue, const TrialPlan& plan);

/// How often a run is drawn anew at most.
inline constexpr std::uint64_t kMostRedraws = 20;

/// Told now and then what there is so far.
using FuzzProgress = std::function<void(const FuzzResult& so_far, double wall_seconds)>;

/// The coverage map must outlive the result. Throws std::runtime_error if no process can be started.
FuzzResult fuzz(const Swarm& swarm, const FuzzPlan& plan, const ScenarioRunner& runner, const sim::CoverageMap& map,
                const FuzzProgress& progress = {});

}  // namespace racksim::tools
