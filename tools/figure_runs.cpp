// Child processes for a figure's points. See figure_runs.hpp.
#include "tools/figure_runs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "tools/child_processes.hpp"
#include "tools/experiment.hpp"
#include "tools/run_metrics.hpp"

namespace racksim::tools {
namespace {

/// How often the progress is told while nothing ends.
constexpr std::chrono::milliseconds kPatience{200};

/// In the child: runs the point and says in JSON what came out.
std::string run_point(const Figure& figure, const FigurePoint& point) {
  JsonValue answer = JsonValue::object();
  Scenario scenario = point.scenario;
  scenario.observe.trace.clear();  // points would write over each other's
  sim::Metrics metrics;
  const RunResult result = run_experiment(scenario, metrics, "", {});
  JsonValue values = JsonValue::array();
  for (const std::string& name : figure.metric_names) {
    const auto value = metric_value(result, metrics, name);
    values.push(value && std::isfinite(*value) ? JsonValue(*value) : JsonValue());
  }
  answer.set("values", std::move(values));
  answer.set("hash", result.hash.hex());
  answer.set("pass", result.pass);
  if (!result.violations.empty()) {
    const sim::Violation& first = result.violations.front();
    answer.set("problem", fmt::format("{} at {} ns: {}", first.oracle, first.at.ns(), first.what));
  } else if (!result.failed_expectations.empty()) {
    answer.set("problem", result.failed_expectations.front());
  }
  return to_canonical_json(answer);
}

std::string text_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

/// What a point's process has said, or how it ended.
PointResult result_of(const ChildResult& child, std::size_t metrics) {
  PointResult result;
  result.values.assign(metrics, std::nan(""));
  if (!child.answered()) {
    result.problem = child.text;
    return result;
  }
  const JsonValue answer = parse_json(child.text, "result of a point");
  const auto* values = answer.find("values");
  for (std::size_t i = 0; i < metrics; ++i) {
    result.values[i] = (*values->elements())[i].number().value_or(std::nan(""));
  }
  const auto* pass = answer.find("pass");
  result.pass = pass && pass->boolean() && *pass->boolean();
  result.hash = text_member(answer, "hash");
  result.problem = text_member(answer, "problem");
  return result;
}

}  // namespace

std::vector<PointResult> run_points(const Figure& figure, unsigned jobs, const FigureProgress& progress) {
  std::vector<PointResult> results(figure.points.size());
  ChildProcesses children(jobs);
  std::size_t next = 0, done = 0;
  while (done < results.size()) {
    while (next < results.size() && children.has_room()) {
      children.start(next, [&figure, point = next] { return run_point(figure, figure.points[point]); });
      ++next;
    }
    if (progress) progress(done, results.size());
    if (const auto ended = children.wait(kPatience)) {
      results[ended->id] = result_of(*ended, figure.metric_names.size());
      ++done;
    }
  }
  return results;
}

}  // namespace racksim::tools
