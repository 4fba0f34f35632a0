// See knee_seeds.hpp.
#include "tools/knee/knee_seeds.hpp"

#include <fmt/core.h>

#include "tools/seeds/interval_text.hpp"
#include "tools/seeds/ordered_work.hpp"
#include "tools/seeds/seed_report.hpp"
#include "tools/text/columns.hpp"

namespace racksim::tools {
namespace {

/// In the child: a search whose probes are its children.
std::string search_answer(const KneePlan& plan, const ScenarioAt& scenario_at, std::uint64_t seed) {
  const ScenarioAt with_seed = [&](std::vector<std::string> overrides) {
    overrides.push_back(fmt::format("seed={}", seed));
    return scenario_at(overrides);
  };
  Probes probes = probes_of(plan, with_seed);
  const Knee knee = find_knee(probes, plan.bounds, plan.criteria.front().loss);
  if (!knee.found()) {
    const std::string why = "no knee within the bounds: " + why_not_found(knee, probes, plan.bounds);
    return to_canonical_json(JsonValue::object({{"problem", why}}));
  }
  const Probe& probe = probes.at(*knee.passes);
  return to_canonical_json(JsonValue::object({{"load", *knee.passes},
                                              {"loss", probe.loss},
                                              {"throughput_mops", probe.throughput_mops},
                                              {"monotonic", knee.monotonic}}));
}

KneeOfSeed knee_of(const ChildResult& result, std::uint64_t seed) {
  KneeOfSeed knee;
  knee.seed = seed;
  knee.problem = result.answered() ? "" : result.text;
  if (!result.answered()) return knee;
  const JsonValue answer = parse_json(result.text, "knee");
  if (const auto* problem = answer.find("problem")) {
    knee.problem = *problem->string();
    return knee;
  }
  knee.load = answer.find("load")->natural();
  knee.probe = {*answer.find("loss")->number(), *answer.find("throughput_mops")->number()};
  knee.monotonic = *answer.find("monotonic")->boolean();
  return knee;
}

/// What the knees that were found are: their loads, or the throughputs at them.
std::optional<MeanInterval> interval_of(const std::vector<KneeOfSeed>& knees, bool loads) {
  std::vector<double> values;
  for (const KneeOfSeed& knee : knees) {
    if (knee.load) values.push_back(loads ? static_cast<double>(*knee.load) : knee.probe.throughput_mops);
  }
  return mean_interval(values);
}

}  // namespace

std::vector<KneeOfSeed> find_knees(const KneePlan& plan, const ScenarioAt& scenario_at, const KneeSeeds& seeds,
                                   const std::function<void(std::size_t done)>& progress) {
  OrderedWork ordered{.least = seeds.count, .most = seeds.count, .work = {}};
  ordered.work = [&](std::size_t number) { return search_answer(plan, scenario_at, seeds.first + number); };
  ordered.progress = progress;
  std::vector<KneeOfSeed> knees;
  for (const ChildResult& result : run_in_order(ordered, seeds.jobs)) {
    knees.push_back(knee_of(result, seeds.first + knees.size()));
  }
  return knees;
}

std::string knees_text(const Scenario& scenario, const KneePlan& plan, const std::vector<KneeOfSeed>& knees) {
  std::string text = fmt::format("knee of {} in {}, at most {:.4g} % lost, to within {:.3g} %\n", scenario.name,
                                 plan.load, plan.criteria.front().loss * 100, plan.bounds.tolerance * 100);
  std::size_t found = 0;
  for (const KneeOfSeed& knee : knees) {
    if (!knee.load) {
      text += fmt::format("  seed {:<5}  none found\n", knee.seed);
      continue;
    }
    ++found;
    text += fmt::format("  seed {:<5}{:>12}/s  {:7.3f} % lost  {:8.3f} Mops{}\n", knee.seed, *knee.load,
                        knee.probe.loss * 100, knee.probe.throughput_mops,
                        knee.monotonic ? "" : "  (higher loads were seen to meet the criterion)");
  }
  if (found == 0) return text;
  std::vector<std::vector<std::string>> rows{{"", "mean ± 95 %", "share", "least .. most", "unit"}};
  for (const bool loads : {true, false}) {
    const MeanInterval interval = *interval_of(knees, loads);
    rows.push_back({loads ? "knee" : "throughput", interval_text(interval), share_text(interval), spread_text(interval),
                    loads ? "/s" : "Mops"});
  }
  text += in_columns(rows);
  if (found == 1) text += "one knee tells nothing of the spread\n";
  return text;
}

JsonValue knees_json(const Scenario& scenario, const KneePlan& plan, const std::vector<KneeOfSeed>& knees) {
  auto report = JsonValue::object({{"scenario", scenario.name},
                                   {"load", plan.load},
                                   {"loss", plan.criteria.front().loss},
                                   {"tolerance", plan.bounds.tolerance},
                                   {"confidence", kConfidence}});
  for (const bool loads : {true, false}) {
    const auto interval = interval_of(knees, loads);
    report.set(loads ? "knee" : "throughput_mops", interval ? interval_json(*interval) : JsonValue());
  }
  report.set("knees", array_of(knees, [](const KneeOfSeed& knee) {
               auto one = JsonValue::object({{"seed", knee.seed}});
               one.set("knee", knee.load ? JsonValue::object({{"load", *knee.load},
                                                              {"loss", knee.probe.loss},
                                                              {"throughput_mops", knee.probe.throughput_mops}})
                                         : JsonValue());
               one.set("monotonic", knee.monotonic);
               if (!knee.problem.empty()) one.set("problem", knee.problem);
               return one;
             }));
  return report;
}

}  // namespace racksim::tools
