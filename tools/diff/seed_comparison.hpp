// Two scenarios compared by several seeds, both run with each of them: metric by metric the mean difference of the pairs,
// its interval, and whether it can be told from chance when all metrics that are looked at are judged together.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tools/seeds/seed_report.hpp"
#include "tools/statistics/paired_comparison.hpp"

namespace racksim::tools {

/// One side, as the command line names it.
struct SeedSide {
  std::string given;  ///< a scenario file or a run's folder
  Scenario scenario;
  SeedCommand command = {};  ///< that repeats its run with one seed
};

/// A metric of the pairs of which both runs have it.
struct ComparedMetric {
  std::string name, unit;
  MeanInterval a, b;
  PairedComparison pairs;
  /// The pairs' probability by Holm's correction over all metrics compared. None of a single pair, and of a metric that is
  /// the same in all runs, which is not counted.
  std::optional<double> corrected;

  /// It has one value in all runs of both sides.
  bool same() const;
  bool differs() const { return corrected && *corrected <= kSignificance; }
};

struct SeedComparison {
  std::vector<SeedRun> a, b;  ///< by seed
  std::vector<ComparedMetric> metrics;

  /// Metrics that were judged together, and those of them that differ.
  std::size_t compared() const;
  std::size_t differing() const;
  /// All metrics are the same pair by pair.
  bool equal() const;
};

/// Compares runs of the same seeds; of the metrics that a person asks for first, or of all.
SeedComparison compare_seed_runs(std::vector<SeedRun> a, std::vector<SeedRun> b, bool all);

/// Runs both scenarios with `count` seeds from `first` on, `jobs` runs at a time, and compares. Of fewer seeds, if the
/// program is interrupted. Throws as `run_in_order`.
SeedComparison compare_with_seeds(const SeedSide& a, const SeedSide& b, std::uint64_t first, std::size_t count,
                                  bool all, unsigned jobs, const SeedProgress& progress);

/// A page for the terminal.
std::string seed_comparison_text(const SeedSide& a, const SeedSide& b, const SeedComparison& comparison);
/// Keys: equal, a and b (run, scenario, protocol, runs), parameters, confidence, significance, compared, differing, metrics
/// (metric, unit, a, b, difference, pairs, probability, corrected, differs), provenance.
JsonValue seed_comparison_json(const SeedSide& a, const SeedSide& b, const SeedComparison& comparison);

}  // namespace racksim::tools
