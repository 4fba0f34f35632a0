// A trial: one scenario run for its verdict alone, usually in a child process. Fuzzing and shrinking consist of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "sim/record/coverage.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// The kind of a failure by a broken invariant.
inline constexpr const char* kInvariant = "invariant";

/// What came of one trial.
struct TrialResult {
  enum class Verdict : std::uint8_t {
    passed,
    failed,  ///< an oracle spoke, or the run crashed, hung or threw
    refused  ///< options that do not fit each other: nothing was run
  };
  Verdict verdict = Verdict::passed;
  /// Of a failure: the oracle that spoke first in simulated time; or "expectation", "crash", "hang", "exception"
  /// or "invariant", of one that was broken.
  std::string kind;
  std::vector<std::string> kinds;  ///< all of them, `kind` first, each once
  std::string what;                ///< the violation's text, or what the process left behind
  sim::Time at;                    ///< of the violation
  std::uint64_t operations = 0, events = 0;
  std::string hash;           ///< the run hash, if the run came to its end
  std::string coverage;       ///< sim::Coverage::text(), if it was asked for
  std::string noise;          ///< noise_text() of what noise did, if it was asked for
  std::uint64_t redraws = 0;  ///< how often a derived scenario was drawn anew, because its options did not fit
  /// What was done of each share of the work, and all that there was to do (models::WorkShare).
  struct Work {
    std::uint64_t part = 0, whole = 0;
  };
  std::vector<Work> work;
  std::vector<std::uint64_t> drawn = {};  ///< of a derived scenario: what it has of Swarm::draws

  bool failed() const { return verdict == Verdict::failed; }
  /// Whether an oracle of this name spoke, or the failure is of this kind.
  bool shows(const std::string& kind) const;
};

/// Has the scenario of a failure by a broken invariant ask for the checks that show it.
void keep_checking(JsonValue& document, const TrialResult& failure);

/// "single-writer at 12.345 ns: ..."
std::string description(const TrialResult& failure);

/// A wall-clock limit as an option of a command gives it, such as "30s". Throws InputError for anything else and for
/// what is shorter than a millisecond.
std::chrono::milliseconds wall_clock_limit(const std::string& command, const std::string& option,
                                           const std::string& text);

/// How to see what the protocol of a scenario is about at work.
const std::vector<models::WorkShare>& work_shares(const Scenario& scenario);

/// The coverage map of the protocol that a scenario selects; empty if it declares none.
const sim::CoverageMap& coverage_map(const Scenario& scenario);

/// What a trial tells besides its verdict.
enum class TrialDetail : std::uint8_t { none, coverage, noise };

/// What a trial is for.
struct TrialPlan {
  TrialPlan(TrialDetail wanted = TrialDetail::none, bool judge = false) : detail(wanted), expectations(judge) {}

  TrialDetail detail;
  bool expectations;  ///< what the scenario expects counts; an expectation that is not met is a failure
};

/// Runs the scenario here and now (one run per process, as run_experiment says), and checks invariants. Options that do
/// not fit are a result; anything else that is thrown passes through.
TrialResult run_trial(const Scenario& scenario, const TrialPlan& plan);

/// Work for a child process that ends in a TrialResult. It is called with the trial's number and the redraw: how often
/// this trial was refused before.
using Trial = std::function<TrialResult(std::uint64_t number, std::uint64_t redraw)>;

struct TrialLimits {
  unsigned jobs = 1;                             ///< child processes at a time
  std::chrono::milliseconds wall_clock{30'000};  ///< for each; more is a "hang"
};

/// Runs trials 0, 1, 2, ... in child processes for as long as `wanted(number)` holds, and gives their results to `take`
/// in the order of their numbers, whatever the order in which they end, until it returns false or the program is
/// interrupted (interruption.hpp); trials still running are then ended and forgotten. `idle`, if given, is called about
/// ten times a second. So what `take` sees does not depend on the number of jobs. A trial that is refused is tried
/// again at most `redraws` times; the result knows at which it was, whatever became of it there.
void run_trials(const TrialLimits& limits, const Trial& trial, const std::function<bool(std::uint64_t)>& wanted,
                const std::function<bool(std::uint64_t, const TrialResult&)>& take,
                const std::function<void()>& idle = {}, std::uint64_t redraws = 0);

/// Runs one trial in a child process. Nothing has been tried if the program was interrupted.
TrialResult try_once(const TrialLimits& limits, const std::function<TrialResult()>& trial);

}  // namespace racksim::tools
