// See seed_runs.hpp.
#include "tools/seeds/seed_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/seeds/ordered_work.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace racksim::tools {
namespace {

std::string text_of_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

}  // namespace

std::string seed_answer(Scenario scenario, std::uint64_t seed, const SeedKeeping& keeping) {
  scenario.seed = seed;
  if (!keeping.begin) scenario.observe.write_no_files();
  const std::string folder = keeping.begin ? keeping.begin(scenario) : "";
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, folder, {});
  if (keeping.end) keeping.end(scenario, result, metrics);
  JsonValue values = JsonValue::object(), units = JsonValue::object();
  for (const std::string& name : metric_names_in(metrics)) {
    const auto value = metric_value(metrics, name);
    if (!value || !std::isfinite(*value)) continue;
    values.append({name, *value});
    units.append({name, metric_unit(metrics, name)});
  }
  auto answer = JsonValue::object({{"hash", result.hash.hex()}, {"pass", result.pass}});
  answer.set("values", std::move(values));
  answer.set("units", std::move(units));
  if (!result.violations.empty()) {
    const sim::Violation& first = result.violations.front();
    answer.set("problem", fmt::format("{} at {} ns: {}", first.oracle, first.at.ns(), first.what));
  } else if (!result.failed_expectations.empty()) {
    answer.set("problem", result.failed_expectations.front());
  }
  return to_canonical_json(answer);
}

SeedRun seed_run_of(const ChildResult& result, std::uint64_t seed) {
  SeedRun run;
  run.seed = seed;
  if (!result.answered()) {
    run.problem = result.text;
    return run;
  }
  const JsonValue answer = parse_json(result.text, "run with a seed");
  run.hash = text_of_member(answer, "hash");
  run.problem = text_of_member(answer, "problem");
  run.pass = *answer.find("pass")->boolean();
  for (const auto& [name, value] : *answer.find("values")->members()) run.values[name] = *value.number();
  for (const auto& [name, unit] : *answer.find("units")->members()) run.units[name] = *unit.string();
  return run;
}

bool precise_enough(const std::vector<SeedRun>& runs, double precision) {
  return std::all_of(std::begin(kHeadline), std::end(kHeadline), [&](const char* name) {
    std::vector<double> values;
    for (const SeedRun& run : runs) {
      if (const auto found = run.values.find(name); found != run.values.end()) values.push_back(found->second);
    }
    if (values.size() < runs.size()) return false;  // some run has no such number
    const auto interval = mean_interval(values);
    const auto share = interval ? interval->relative() : std::nullopt;
    return share && *share <= precision;
  });
}

std::vector<SeedRun> run_seeds(const Scenario& scenario, const SeedPlan& plan, const SeedProgress& progress,
                               const SeedKeeping& keeping) {
  const auto seed_of = [&](std::size_t number) { return plan.first + number; };
  const auto runs_of = [&](const std::vector<ChildResult>& results) {
    std::vector<SeedRun> runs;
    for (std::size_t i = 0; i < results.size(); ++i) runs.push_back(seed_run_of(results[i], seed_of(i)));
    return runs;
  };
  OrderedWork ordered{.least = plan.least, .most = plan.most, .work = {}};
  ordered.work = [&](std::size_t number) { return seed_answer(scenario, seed_of(number), keeping); };
  ordered.enough = [&](const std::vector<ChildResult>& first) {
    const auto runs = runs_of(first);
    return std::any_of(runs.begin(), runs.end(), [](const SeedRun& run) { return !run.pass; }) ||
           precise_enough(runs, *plan.precision);
  };
  ordered.progress = progress;
  return runs_of(run_in_order(ordered, plan.jobs));
}

void check_seeds(std::uint64_t first, std::uint64_t count, const JsonLocation& place) {
  const std::uint64_t beyond = std::numeric_limits<std::uint64_t>::max() - first;
  if (count > 0 && count - 1 > beyond) {
    place.refuse(fmt::format("{} seeds from {} on", count, first), "seeds below 2^64");
  }
}

}  // namespace racksim::tools
