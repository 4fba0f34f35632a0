// Reading and writing of phases, checks, observations and expectations.
#include "tools/scenario/scenario_parts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <sstream>

#include "tools/text/nearest_name.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

Extent read_extent(const JsonValue& value, const JsonLocation& place) {
  Extent extent;
  if (value.is_object()) {
    std::uint64_t operations = 0;
    sim::Parameters parameters;
    parameters.integer("operations", operations, 1, std::numeric_limits<std::int64_t>::max(), "");
    bind(value, place, parameters);
    if (!value.find("operations")) place.refuse("an empty object", "{\"operations\": N}");
    extent.operations = operations;
    return extent;
  }
  const std::string expected = "a length of time such as \"10ms\" or {\"operations\": N}";
  try {
    extent.time = parse_length(require_string(value, place, expected));
  } catch (const UnitError&) {
    place.refuse(value.description(), expected);
  }
  if (extent.time > kLongestRun) place.refuse(value.description(), "at most 1000s of simulated time");
  return extent;
}

JsonValue write_extent(const Extent& extent) {
  if (!extent.operations) return format_length(extent.time);
  JsonValue value;
  value.set("operations", *extent.operations);
  return value;
}

void read_order(const JsonValue& value, const JsonLocation& place, RunPlan& plan) {
  const std::string expected = "\"fifo\", \"lifo\" or \"shuffle:SEED\" with a whole number for SEED";
  const auto& text = require_string(value, place, expected);
  constexpr std::string_view kShuffle = "shuffle:";
  if (text == "fifo") {
    plan.order.ties = sim::TieOrder::fifo;
  } else if (text == "lifo") {
    plan.order.ties = sim::TieOrder::lifo;
  } else if (text.starts_with(kShuffle)) {
    plan.order.ties = sim::TieOrder::shuffle;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kShuffle.size(), end, plan.order.seed);
    if (error != std::errc{} || stop != end) place.refuse(value.description(), expected);
  } else {
    place.refuse(value.description(), expected, nearest_name(text, {"fifo", "lifo", "shuffle:0"}));
  }
}

/// Names, in an array or, as is handy on a command line, in one text with commas between them.
std::vector<std::string> read_names(const JsonValue& value, const JsonLocation& place) {
  const std::string expected = "names of metrics: [\"throughput_mops\"], or \"throughput_mops,latency_ns.p99\"";
  std::vector<std::string> names;
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.elements()->size(); ++i) {
      names.push_back(require_string((*value.elements())[i], place.element(i), "the name of a metric"));
    }
  } else {
    std::istringstream text(require_string(value, place, expected));
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  }
  if (names.empty()) place.refuse("no name", expected);
  return names;
}

double require_number(const JsonValue& value, const JsonLocation& place) {
  const auto number = value.number();
  if (!number) place.refuse(value.description(), "a number");
  return *number;
}

MetricBounds read_bounds(const std::string& metric, const JsonValue& value, const JsonLocation& place) {
  MetricBounds bounds{metric, {}, {}, {}};
  bind(value, place, {}, {{"min", "max", "equals"}, nullptr});
  for (const auto& [key, limit] : *value.members()) {
    auto& bound = key == "min" ? bounds.min : key == "max" ? bounds.max : bounds.equals;
    bound = require_number(limit, place.member(key));
  }
  if (!bounds.min && !bounds.max && !bounds.equals) place.refuse("an empty object", "\"min\", \"max\" or \"equals\"");
  if (bounds.min && bounds.max && *bounds.min > *bounds.max) {
    place.refuse("a \"min\" above \"max\"", "bounds that a number can meet");
  }
  return bounds;
}

}  // namespace

RunPlan read_run_plan(const JsonValue& value, const JsonLocation& place) {
  RunPlan plan;
  sim::Parameters parameters;
  plan.declare(parameters);
  bind(value, place, parameters, {{"warmup", "measure", "schedule.order"}, nullptr});
  if (const auto* warmup = value.find("warmup")) plan.warmup = read_extent(*warmup, place.member("warmup"));
  if (const auto* measure = value.find("measure")) plan.measure = read_extent(*measure, place.member("measure"));
  if (const auto* schedule = value.find("schedule")) {
    const auto* order = schedule->find("order");
    if (order) read_order(*order, place.member("schedule").member("order"), plan);
  }
  return plan;
}

JsonValue write_run_plan(RunPlan plan, bool with_execution) {
  auto value = JsonValue::object({{"warmup", write_extent(plan.warmup)}, {"measure", write_extent(plan.measure)}});
  sim::Parameters parameters;
  plan.declare(parameters);
  const auto declared = values_in_effect(parameters);
  for (const auto& [key, content] : *declared.members()) {
    const bool of_behaviour = key != "execution" && key != "idle_passes" && key != "expect_timeouts" &&
                              key != "check_invariants" && key != "settling";
    if (of_behaviour || with_execution) value.set(key, content);
  }
  value.set_dotted("schedule.order", plan.order_text());
  return value;
}

Observation read_observation(const JsonValue& value, const JsonLocation& place) {
  Observation observation;
  sim::Parameters parameters;
  observation.declare(parameters);
  bind(value, place, parameters, {{"series.metrics"}, nullptr});
  const auto* series = value.find("series");
  const auto* metrics = series != nullptr ? series->find("metrics") : nullptr;
  if (metrics != nullptr) observation.series.metrics = read_names(*metrics, place.member("series").member("metrics"));
  return observation;
}

JsonValue write_observation(Observation observation) {
  sim::Parameters parameters;
  observation.declare(parameters);
  auto value = values_in_effect(parameters);
  value.set_dotted("series.metrics", array_of(observation.series.metrics));
  return value;
}

std::vector<OracleSwitch> read_checks(const JsonValue* value, const JsonLocation& place,
                                      const std::vector<std::string>& promised,
                                      const std::vector<models::OracleEntry>& oracles, HistoryOptions& history) {
  bool all = false;
  sim::Parameters parameters;
  parameters.flag("all", all, "");
  history.declare(parameters);
  const auto names = names_of(oracles);
  // First "all", then the oracles that are named one by one, whatever the order in the file.
  if (value) bind(*value, place, parameters, {names, nullptr});
  std::vector<OracleSwitch> checks;
  for (const auto& oracle : oracles) {
    const auto& name = oracle.name;
    const bool asked = oracle.attach == models::OracleEntry::AttachWhen::always ||
                       (oracle.attach == models::OracleEntry::AttachWhen::if_promised &&
                        std::find(promised.begin(), promised.end(), name) != promised.end());
    checks.push_back({name, all && asked});
    const auto* flag = value ? value->find(name) : nullptr;
    if (!flag) continue;
    if (!flag->boolean()) place.member(name).refuse(flag->description(), "true or false");
    checks.back().on = *flag->boolean();
  }
  return checks;
}

JsonValue write_checks(const std::vector<OracleSwitch>& checks, HistoryOptions history) {
  sim::Parameters parameters;
  history.declare(parameters);
  auto value = values_in_effect(parameters);
  for (const auto& check : checks) value.set(check.name, check.on);
  return value;
}

std::vector<std::string> violation_names(const std::vector<models::OracleEntry>& oracles) {
  auto names = names_of(oracles);
  for (const char* other :
       {"data-provider", "dead-entry", "idle-workload", "leaked-chunk", "leaked-lock", "leaked-memory", "livelock",
        "no-owner", "overlapping-memory", "stall", "stuck-migration", "stuck-request", "time-limit", "two-owners",
        "undecided", "undefined-transition", "wrong-metadata", "wrong-place"})
    names.emplace_back(other);
  return names;
}

Expectations read_expectations(const JsonValue& value, const JsonLocation& place,
                               const std::vector<models::OracleEntry>& oracles) {
  Expectations expectations;
  for (const auto& [key, content] : require_object(value, place)) {
    const auto inner = place.member(key);
    if (key == "baseline") {
      expectations.baseline = read_expected_baseline(content, inner);
    } else if (key == "violation") {
      const auto names = violation_names(oracles);
      expectations.violation = require_string(content, inner, one_of(names));
      if (std::find(names.begin(), names.end(), expectations.violation) == names.end()) {
        inner.refuse(content.description(), one_of(names), nearest_name(expectations.violation, names));
      }
    } else if (key == "verdict") {
      const auto& verdict = require_string(content, inner, one_of({"pass", "fail"}));
      if (verdict != "pass" && verdict != "fail") inner.refuse(content.description(), one_of({"pass", "fail"}));
      expectations.pass = verdict == "pass";
    } else {
      expectations.metrics.push_back(read_bounds(key, content, inner));
    }
  }
  if (!expectations.violation.empty()) {
    if (expectations.pass == true) {
      place.member("verdict").refuse("\"pass\" beside a \"violation\"", "\"fail\", or no \"violation\"");
    }
    expectations.pass = false;
  }
  return expectations;
}

JsonValue write_expectations(const Expectations& expectations) {
  auto value = JsonValue::object();
  if (expectations.pass) value.set("verdict", *expectations.pass ? "pass" : "fail");
  if (!expectations.violation.empty()) value.set("violation", expectations.violation);
  auto baseline = write_expected_baseline(expectations.baseline);
  if (!baseline.is_null()) value.set("baseline", std::move(baseline));
  for (const auto& bounds : expectations.metrics) {
    auto& metric = value.set(bounds.metric, JsonValue::object());
    if (bounds.min) metric.set("min", *bounds.min);
    if (bounds.max) metric.set("max", *bounds.max);
    if (bounds.equals) metric.set("equals", *bounds.equals);
  }
  return value;
}

}  // namespace racksim::tools
