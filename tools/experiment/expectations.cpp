// Expectations against results. See expectations.hpp.
#include "tools/experiment/expectations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/experiment/run_metrics.hpp"
#include "tools/json/input_error.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {

namespace {

/// Of a series something is only known over whole intervals in the measured phase.
void check_interval(const Scenario& scenario, const sim::Metrics& metrics, const JsonLocation& place,
                    const std::string& metric) {
  const RunPlan& run = scenario.run;
  if (run.warmup.operations || run.measure.operations) return;
  const sim::Time begin = sim::Time{} + run.warmup.time;
  const auto interval = interval_too_long_for(metrics, metric, begin, begin + run.measure.time);
  if (!interval) return;
  place.refuse(fmt::format("a series of intervals of {}", format_length(*interval)),
               fmt::format("intervals of which one lies within the measured phase, from {} to {}",
                           format_length(run.warmup.time), format_length(run.warmup.time + run.measure.time)));
}

}  // namespace

void check_expected_metrics(const Scenario& scenario, const sim::Metrics& metrics) {
  const auto names = metric_names_in(metrics);
  const JsonLocation expect = JsonLocation{scenario.file, ""}.member("expect");
  const auto check = [&names](const JsonLocation& place, const std::string& metric) {
    if (std::find(names.begin(), names.end(), metric) != names.end()) return;
    place.member(metric).refuse("the unknown metric " + quote(metric), "a metric that the run reports",
                                nearest_name(metric, names));
  };
  for (const MetricBounds& bounds : scenario.expect.metrics) {
    check(expect, bounds.metric);
    check_interval(scenario, metrics, expect.member(bounds.metric), bounds.metric);
  }
  for (const Tolerance& tolerance : scenario.expect.baseline.tolerances) {
    check(expect.member("baseline"), tolerance.metric);
  }
}

void judge_expectations(const Scenario& scenario, const sim::Metrics& metrics, RunResult& result) {
  for (const MetricBounds& bounds : scenario.expect.metrics) {
    const auto value = metric_value(metrics, bounds.metric);
    const bool met = value && (!bounds.min || *value >= *bounds.min) && (!bounds.max || *value <= *bounds.max) &&
                     (!bounds.equals || *value == *bounds.equals);
    if (met) continue;
    std::string wanted;
    if (bounds.equals) wanted += fmt::format(" = {}", *bounds.equals);
    if (bounds.min) wanted += fmt::format(" >= {}", *bounds.min);
    if (bounds.max) wanted += fmt::format(" <= {}", *bounds.max);
    result.failed_expectations.push_back(
        fmt::format("{} {}, expected{}", bounds.metric,
                    value ? fmt::format("is {}", *value) : "has no value: nothing of it was measured", wanted));
  }
  if (scenario.expect.pass) {
    // A scenario may exist to show a violation: then finding it is what passes.
    if (*scenario.expect.pass != result.pass) {
      result.failed_expectations.push_back(fmt::format("the oracles' verdict is {}, expected {}",
                                                       result.pass ? "pass" : "fail",
                                                       *scenario.expect.pass ? "pass" : "fail"));
    }
    result.pass = true;
  }
  if (!scenario.expect.violation.empty()) {
    const bool spoke = std::any_of(result.violations.begin(), result.violations.end(),
                                   [&](const auto& v) { return v.oracle == scenario.expect.violation; });
    if (!spoke) result.failed_expectations.push_back(fmt::format("no violation of {}", scenario.expect.violation));
  }
  result.pass = result.pass && result.failed_expectations.empty();
}

}  // namespace racksim::tools
