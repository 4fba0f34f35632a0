// What runs with several seeds come to: each metric's mean, interval, least and most, and the verdict over all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/seeds/seed_runs.hpp"
#include "tools/statistics/mean_interval.hpp"
#include "tools/statistics/paired_comparison.hpp"

namespace racksim::tools {

/// A metric over the runs that have it.
struct MetricOverSeeds {
  std::string name, unit;
  MeanInterval interval;
  std::vector<std::optional<double>> values;  ///< by run; none of one that lacks it
};

/// All metrics: first those that a person asks for, then by name. One that has a second name has it once, and
/// of a counter what it counted in the window stands for its rate and its whole run.
std::vector<MetricOverSeeds> metrics_over(const std::vector<SeedRun>& runs);

/// Whether it is one of those: throughput, and the latency's mean and percentiles.
bool is_asked_first(const std::string& metric);

/// The command that repeats the run with one seed.
using SeedCommand = std::function<std::string(std::uint64_t seed)>;

/// A page for the terminal; `all` shows every metric that is not 0 in all runs.
std::string seeds_text(const Scenario& scenario, const SeedPlan& plan, const std::vector<SeedRun>& runs,
                       const SeedCommand& command, bool all);

/// Keys: scenario, protocol, verdict, confidence, precision (where asked for), metrics (by name: unit, mean, half_width,
/// least, most and values by run, null for what there is not), runs (seed, verdict, run_hash, problem, command),
/// provenance and config, whose seed is that of the first run.
JsonValue seeds_json(const Scenario& scenario, const SeedPlan& plan, const std::vector<SeedRun>& runs,
                     const SeedCommand& command);

/// "seeds 1 to 5".
std::string seeds_of(const std::vector<SeedRun>& runs);
/// "pass", "fail", or "crash" of a run that did not end.
std::string verdict_of(const SeedRun& run);
bool all_pass(const std::vector<SeedRun>& runs);
/// One line for each run that failed, and the command that repeats it.
std::string failures_text(const std::vector<SeedRun>& runs, const SeedCommand& command);
/// A member for each run: seed, verdict, run_hash, problem (where there is one) and command.
JsonValue runs_json(const std::vector<SeedRun>& runs, const SeedCommand& command);
/// The interval's members, as JSON has them everywhere.
JsonValue interval_json(const MeanInterval& interval);
/// Adds those of a comparison: difference, pairs, probability, corrected, differs. `corrected` is the probability by Holm's
/// correction, none where there is none.
void add_comparison(JsonValue& object, const PairedComparison& comparison, const std::optional<double>& corrected);

}  // namespace racksim::tools
