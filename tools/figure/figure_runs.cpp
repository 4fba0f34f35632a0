// Child processes for a figure's points. See figure_runs.hpp.
#include "tools/figure/figure_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/knee/knee_runs.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {
namespace {

/// How often the progress is told while nothing ends.
constexpr std::chrono::milliseconds kPatience{200};

/// What a run says, in JSON. `load` is that of its knee, 0 for none.
JsonValue run_of(const Figure& figure, Scenario scenario, std::uint64_t load) {
  JsonValue answer = JsonValue::object();
  scenario.observe.write_no_files();  // points would write over each other's
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  JsonValue values = JsonValue::array();
  for (std::size_t window = 0; window < figure.windows(); ++window) {
    for (const std::string& name : figure.metric_names) {
      std::optional<double> value;
      if (figure.timeline) {
        const TimeWindow& at = figure.timeline->windows[window];
        value = metric_value_within(metrics, name, at.begin, at.end);
        if (value && at.end > result.simulated) value = std::nan("");
      }
      if (name == kKneeMetric) value = static_cast<double>(load) / 1e6;
      if (!value) value = metric_value(metrics, name);
      values.push(value && std::isfinite(*value) ? JsonValue(*value) : JsonValue());
    }
  }
  answer.set("values", std::move(values));
  answer.set("hash", result.hash.hex());
  answer.set("pass", result.pass);
  if (load > 0) answer.set("load", load);
  if (!result.violations.empty()) {
    const sim::Violation& first = result.violations.front();
    answer.set("problem", fmt::format("{} at {} ns: {}", first.oracle, first.at.ns(), first.what));
  } else if (!result.failed_expectations.empty()) {
    answer.set("problem", result.failed_expectations.front());
  }
  return answer;
}

/// The knees of a point, each with a run at its load: the probes are shared.
JsonValue runs_at_knees(const Figure& figure, const FigurePoint& point, const Catalogue& catalogue) {
  const ScenarioAt scenario_at = [&](const std::vector<std::string>& overrides) {
    std::vector<std::string> all = point.overrides;
    all.insert(all.end(), overrides.begin(), overrides.end());
    return figure.scenario(catalogue, all);
  };
  Probes probes = probes_of(*figure.knee, scenario_at);
  JsonValue answers = JsonValue::array();
  for (const KneeCriterion& criterion : figure.knee->criteria) {
    const Knee knee = find_knee(probes, figure.knee->bounds, criterion.loss);
    if (!knee.found()) {
      JsonValue answer = JsonValue::object();
      answer.set("problem", fmt::format("no knee at a loss of {}: {}", criterion.loss,
                                        why_not_found(knee, probes, figure.knee->bounds)));
      answers.push(std::move(answer));
      continue;
    }
    const Scenario scenario = scenario_at(figure.knee->overrides_at(*knee.passes));
    const auto run = [&] { return to_canonical_json(run_of(figure, scenario, *knee.passes)); };
    answers.push(parse_json(answer_of(run, "a point was not done yet").text, "run at a knee"));
  }
  return answers;
}

/// In the child: what all runs of a point say.
std::string run_point(const Figure& figure, const FigurePoint& point, const Catalogue& catalogue) {
  if (figure.knee) return to_canonical_json(runs_at_knees(figure, point, catalogue));
  return to_canonical_json(run_of(figure, point.scenario, 0));
}

std::string text_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

/// What one of a point's runs has said.
PointResult result_of(const JsonValue& answer, std::size_t metrics) {
  PointResult result;
  const auto* values = answer.find("values");
  for (std::size_t i = 0; i < metrics; ++i) {
    result.values.push_back(values ? (*values->elements())[i].number().value_or(std::nan("")) : std::nan(""));
  }
  const auto* pass = answer.find("pass");
  result.pass = pass && pass->boolean() && *pass->boolean();
  const auto* load = answer.find("load");
  result.load = load ? load->natural().value_or(0) : 0;
  result.hash = text_member(answer, "hash");
  result.problem = text_member(answer, "problem");
  return result;
}

/// What a point's process has said, by criterion.
std::vector<PointResult> results_of(const std::string& text, std::size_t metrics) {
  const JsonValue answer = parse_json(text, "result of a point");
  const auto* several = answer.elements();
  if (!several) return {result_of(answer, metrics)};
  std::vector<PointResult> results;
  for (const JsonValue& one : *several) results.push_back(result_of(one, metrics));
  return results;
}

/// One that came to no end.
PointResult failure_of(const ChildResult& child, std::size_t metrics) {
  PointResult result;
  result.values.assign(metrics, std::nan(""));
  result.problem = child.text;
  return result;
}

}  // namespace

std::vector<PointResult> run_points(const Figure& figure, const Catalogue& catalogue, unsigned jobs, KeptPoints& kept,
                                    const FigureProgress& progress) {
  const std::size_t metrics = figure.metric_names.size() * figure.windows();
  const std::size_t all = figure.points.size(), criteria = figure.criteria();
  std::vector<PointResult> results(all * criteria);
  const auto take = [&](std::size_t point, std::vector<PointResult> of_point) {
    of_point.resize(criteria, of_point.front());
    std::move(of_point.begin(), of_point.end(), results.begin() + static_cast<std::ptrdiff_t>(point * criteria));
  };
  std::vector<std::string> identities;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < all; ++i) {
    identities.push_back(point_identity(figure, figure.points[i]));
    if (const auto answer = kept.find(identities[i])) {
      std::vector<PointResult> of_point = results_of(*answer, metrics);
      for (PointResult& result : of_point) result.from_before = true;
      take(i, std::move(of_point));
    } else {
      missing.push_back(i);
    }
  }
  // All points with the first seed before any with the second: what is there after an interruption is then most useful.
  std::stable_sort(missing.begin(), missing.end(), [&](std::size_t one, std::size_t other) {
    return figure.points[one].repeat < figure.points[other].repeat;
  });
  ChildProcesses children(jobs);
  std::size_t next = 0, done = all - missing.size();
  while (done < all) {
    stop_if_interrupted([&] {
      return fmt::format("{} of {} points are kept in {}; the same command runs the others", done, all,
                         kept.file().string());
    });
    while (next < missing.size() && children.has_room()) {
      const std::size_t point = missing[next];
      const auto run = [&figure, &catalogue, point] { return run_point(figure, figure.points[point], catalogue); };
      if (children.start(point, run)) ++next;
    }
    if (progress) progress(done, all);
    if (const auto ended = children.wait(kPatience)) {
      if (ended->answered()) kept.add(identities[ended->id], ended->text);
      take(ended->id, ended->answered() ? results_of(ended->text, metrics)
                                        : std::vector<PointResult>{failure_of(*ended, metrics)});
      ++done;
    }
  }
  return results;
}

}  // namespace racksim::tools
