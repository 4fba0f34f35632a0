// Child processes for a figure's points. See figure_runs.hpp.
#include "tools/figure/figure_runs.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/processes/interruption.hpp"

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

/// What a point's process has said.
PointResult result_of(const std::string& text, std::size_t metrics) {
  PointResult result;
  const JsonValue answer = parse_json(text, "result of a point");
  const auto* values = answer.find("values");
  for (std::size_t i = 0; i < metrics; ++i) {
    result.values.push_back((*values->elements())[i].number().value_or(std::nan("")));
  }
  const auto* pass = answer.find("pass");
  result.pass = pass && pass->boolean() && *pass->boolean();
  result.hash = text_member(answer, "hash");
  result.problem = text_member(answer, "problem");
  return result;
}

/// One that came to no end.
PointResult failure_of(const ChildResult& child, std::size_t metrics) {
  PointResult result;
  result.values.assign(metrics, std::nan(""));
  result.problem = child.text;
  return result;
}

}  // namespace

std::vector<PointResult> run_points(const Figure& figure, unsigned jobs, KeptPoints& kept,
                                    const FigureProgress& progress) {
  const std::size_t metrics = figure.metric_names.size(), all = figure.points.size();
  std::vector<PointResult> results(all);
  std::vector<std::string> identities;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < all; ++i) {
    identities.push_back(point_identity(figure, figure.points[i]));
    if (const auto answer = kept.find(identities[i])) {
      results[i] = result_of(*answer, metrics);
      results[i].from_before = true;
    } else {
      missing.push_back(i);
    }
  }
  ChildProcesses children(jobs);
  std::size_t next = 0, done = all - missing.size();
  while (done < all) {
    stop_if_interrupted([&] {
      return fmt::format("{} of {} points are kept in {}; the same command runs the others", done, all,
                         kept.file().string());
    });
    while (next < missing.size() && children.has_room()) {
      const std::size_t point = missing[next++];
      children.start(point, [&figure, point] { return run_point(figure, figure.points[point]); });
    }
    if (progress) progress(done, all);
    if (const auto ended = children.wait(kPatience)) {
      if (ended->answered()) kept.add(identities[ended->id], ended->text);
      results[ended->id] = ended->answered() ? result_of(ended->text, metrics) : failure_of(*ended, metrics);
      ++done;
    }
  }
  return results;
}

}  // namespace racksim::tools
