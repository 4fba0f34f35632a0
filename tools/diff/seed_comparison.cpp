// See seed_comparison.hpp.
#include "tools/diff/seed_comparison.hpp"

#include <algorithm>
#include <set>

#include "tools/seeds/ordered_work.hpp"

namespace racksim::tools {
namespace {

std::vector<std::string> names_in(const std::vector<SeedRun>& a, const std::vector<SeedRun>& b, bool all) {
  std::vector<SeedRun> both = a;
  both.insert(both.end(), b.begin(), b.end());
  std::vector<std::string> names;
  for (const MetricOverSeeds& metric : metrics_over(both)) {
    if (all || is_asked_first(metric.name)) names.push_back(metric.name);
  }
  return names;
}

/// None if no pair has it.
std::optional<ComparedMetric> compare_metric(const std::string& name, const std::vector<SeedRun>& a,
                                             const std::vector<SeedRun>& b) {
  std::vector<double> of_a, of_b;
  std::string unit;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto in_a = a[i].values.find(name), in_b = b[i].values.find(name);
    if (in_a == a[i].values.end() || in_b == b[i].values.end()) continue;
    of_a.push_back(in_a->second);
    of_b.push_back(in_b->second);
    unit = a[i].units.at(name);
  }
  if (of_a.empty()) return std::nullopt;
  return ComparedMetric{.name = name,
                        .unit = unit,
                        .a = *mean_interval(of_a),
                        .b = *mean_interval(of_b),
                        .pairs = *compare_pairs(of_a, of_b),
                        .corrected = {}};
}

}  // namespace

bool ComparedMetric::same() const {
  return a.least == a.most && b.least == b.most && a.mean == b.mean;
}

std::size_t SeedComparison::compared() const {
  return static_cast<std::size_t>(
      std::count_if(metrics.begin(), metrics.end(), [](const auto& metric) { return metric.corrected.has_value(); }));
}

std::size_t SeedComparison::differing() const {
  return static_cast<std::size_t>(
      std::count_if(metrics.begin(), metrics.end(), [](const auto& metric) { return metric.differs(); }));
}

bool SeedComparison::equal() const {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].ended() || a[i].values != b[i].values) return false;
  }
  return true;
}

SeedComparison compare_seed_runs(std::vector<SeedRun> a, std::vector<SeedRun> b, bool all) {
  SeedComparison comparison;
  std::vector<double> probabilities;
  for (const std::string& name : names_in(a, b, all)) {
    auto metric = compare_metric(name, a, b);
    if (!metric) continue;
    if (metric->pairs.probability && !metric->same()) probabilities.push_back(*metric->pairs.probability);
    comparison.metrics.push_back(std::move(*metric));
  }
  const std::vector<double> corrected = holm_adjusted(probabilities);
  std::size_t next = 0;
  for (ComparedMetric& metric : comparison.metrics) {
    if (metric.pairs.probability && !metric.same()) metric.corrected = corrected[next++];
  }
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  return comparison;
}

SeedComparison compare_with_seeds(const SeedSide& a, const SeedSide& b, std::uint64_t first, std::size_t count,
                                  bool all, unsigned jobs, const SeedProgress& progress) {
  OrderedWork ordered{.least = 2 * count, .most = 2 * count, .work = {}};
  ordered.work = [&](std::size_t number) {
    return seed_answer(number % 2 == 0 ? a.scenario : b.scenario, first + number / 2);
  };
  ordered.progress = progress;
  std::vector<SeedRun> of_a, of_b;
  for (const ChildResult& result : run_in_order(ordered, jobs)) {
    std::vector<SeedRun>& side = of_a.size() == of_b.size() ? of_a : of_b;
    side.push_back(seed_run_of(result, first + side.size()));
  }
  if (of_a.size() > of_b.size()) of_a.pop_back();  // an interruption has left it alone
  return compare_seed_runs(std::move(of_a), std::move(of_b), all);
}

}  // namespace racksim::tools
