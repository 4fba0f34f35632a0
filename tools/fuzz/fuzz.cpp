// The campaign's loop. See fuzz.hpp.
#include "tools/fuzz/fuzz.hpp"

#include <algorithm>

#include "tools/processes/interruption.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {

ScenarioRunner scenario_runner(const Catalogue& catalogue, const TrialPlan& plan) {
  return [&catalogue, plan](const JsonValue& document) {
    return run_trial(read_scenario(document, "derived scenario", catalogue), plan);
  };
}

FuzzResult fuzz(const Swarm& swarm, const FuzzPlan& plan, const ScenarioRunner& runner, const sim::CoverageMap& map,
                const FuzzProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  FuzzResult result(map);
  result.drawn.resize(swarm.draws().size());
  const auto wanted = [&](std::uint64_t index) {
    if (plan.runs && index >= *plan.runs) return false;
    return !plan.time || Clock::now() - begun < *plan.time;
  };
  const auto take = [&](std::uint64_t index, const TrialResult& trial) {
    ++result.runs;
    result.operations += trial.operations;
    result.events += trial.events;
    if (!trial.coverage.empty()) {
      sim::Coverage reached(map);
      reached.merge_text(trial.coverage);
      result.coverage.merge(reached);
      for (std::size_t point = 0; point < result.runs_reaching.size(); ++point) {
        if (reached.reached(map.pairs() + point)) ++result.runs_reaching[point];
      }
    }
    for (const std::uint64_t index : trial.drawn) ++result.drawn[index];
    result.redraws += trial.redraws;
    result.work.resize(std::max(result.work.size(), trial.work.size()));
    for (std::size_t i = 0; i < trial.work.size(); ++i) {
      result.work[i].part += trial.work[i].part;
      result.work[i].whole += trial.work[i].whole;
    }
    if (trial.verdict == TrialResult::Verdict::refused) {
      if (result.refused++ == 0) result.first_refusal = trial.what;
    } else {
      result.ran.push_back({index, trial.redraws});
    }
    if (trial.failed()) result.failures.push_back({index, trial});
    return result.failures.size() < plan.failures;
  };
  const Trial trial = [&](std::uint64_t index, std::uint64_t redraw) {
    const JsonValue document = swarm.derive(index, redraw);
    TrialResult result_of_run = runner(document);
    result_of_run.drawn = swarm.drawn_in(document);
    return result_of_run;
  };
  try {
    run_trials(
        plan.limits, trial, wanted, take,
        [&] {
          if (progress) progress(result, seconds());
        },
        kMostRedraws);
  } catch (const SystemError& error) {
    if (result.failures.empty()) throw;
    result.trouble = error.what();
  }
  result.wall_seconds = seconds();
  result.interrupted = interrupted();
  return result;
}

}  // namespace racksim::tools
