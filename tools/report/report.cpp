// Reports for programs. See report.hpp.
#include "tools/report/report.hpp"

#include <fmt/core.h>

#include <cmath>

#include "tools/experiment/metric_list.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/report/limit.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {

namespace {

/// Of reports: another number says that something known has another place or meaning.
constexpr std::uint64_t kReportFormat = 1;

/// Of one that has recorded nothing all but the count is null.
JsonValue histogram_json(const sim::Histogram& h) {
  if (h.count() == 0) {
    auto nothing = JsonValue::object({{"count", 0}});
    for (const char* name : {"mean", "p50", "p95", "p99", "p999", "max"}) nothing.set(name, JsonValue());
    return nothing;
  }
  return JsonValue::object({{"count", h.count()},
                            {"mean", h.mean().ns()},
                            {"p50", h.percentile(50).ns()},
                            {"p95", h.percentile(95).ns()},
                            {"p99", h.percentile(99).ns()},
                            {"p999", h.percentile(99.9).ns()},
                            {"max", h.max().ns()}});
}

JsonValue metric_json(const sim::Metric& metric) {
  if (const auto* counter = std::get_if<sim::Counter>(&metric.value)) return counter->in_window();
  if (const auto number = metric.number()) return *number;
  if (const auto* histogram = std::get_if<sim::Histogram>(&metric.value)) return histogram_json(*histogram);
  const auto& series = std::get<sim::TimeSeries>(metric.value);
  JsonValue value = JsonValue::object();
  value.set("interval", format_length(series.interval()));
  value.set("values", array_of(series.values()));
  return value;
}

JsonValue busiest_json(const models::BusiestResource& one) {
  auto value = JsonValue::object({{"kind", one.kind}, {"name", one.name}, {"busy", one.busy}});
  if (one.queue) {
    value.set({{"waiting", one.queue->mean},
               {"most_waiting", one.queue->most},
               {"longest_wait_ns", one.queue->longest_wait.ns()}});
  }
  return value;
}

JsonValue stall_json(const Stall& stall) {
  JsonValue value = JsonValue::object();
  value.set("circle", array_of(stall.circle));
  JsonValue& waits = value.set("waits", JsonValue::array());
  for (const sim::Wait& wait : stall.waits) {
    JsonValue one = JsonValue::object();
    one.set("who", wait.who);
    if (!wait.whom.empty()) one.set("whom", wait.whom);
    one.set("why", wait.why);
    waits.push(std::move(one));
  }
  return value;
}

JsonValue profile_json(const Profile& profile) {
  JsonValue shares = JsonValue::object();
  for (std::size_t part = 0; part < kParts; ++part) {
    shares.set(to_string(static_cast<Part>(part)), profile.share(static_cast<Part>(part)));
  }
  return JsonValue::object({{"cpu_s", profile.total()}, {"samples", profile.samples}, {"shares", std::move(shares)}});
}

/// What differs between equal runs.
JsonValue wall_json(const RunResult& result) {
  const double rate = result.wall_seconds > 0 ? static_cast<double>(result.events) / result.wall_seconds : 0;
  auto wall = JsonValue::object({{"events_per_s", std::round(rate)}});
  if (result.profile) wall.set("profile", profile_json(*result.profile));
  return wall;
}

JsonValue histograms_json(const sim::Metrics& metrics) {
  JsonValue all = JsonValue::object();
  for (const auto& [name, metric] : metrics.all()) {
    const auto* histogram = std::get_if<sim::Histogram>(&metric.value);
    if (histogram == nullptr || histogram->count() == 0) continue;
    all.set(name, array_of(histogram->buckets(), [](const sim::Histogram::Bucket& bucket) {
              return JsonValue::array({bucket.from.ns(), bucket.until.ns(), bucket.count});
            }));
  }
  return all;
}

JsonValue metric_descriptions_json(const sim::Metrics& metrics) {
  const auto one = [](const std::string& unit, const char* kind, const std::string& doc) {
    return JsonValue::object({{"unit", unit}, {"kind", kind}, {"doc", doc}});
  };
  auto all = JsonValue::object({{"measured_ns", one("ns", "gauge", "length of the window of measurement")}});
  all.set("throughput_mops", one("Mops", "gauge", "operations that ended in the window, in millions a second"));
  if (const auto* latency = metrics.find("latency")) all.set("latency_ns", one("ns", "histogram", latency->doc));
  for (const auto& [name, metric] : metrics.all()) all.set(name, one(metric.unit, kind_of(metric), metric.doc));
  return all;
}

}  // namespace

JsonValue report_json(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                      const RunOrigin* origin) {
  auto report = JsonValue::object({{"format", kReportFormat},
                                   {"scenario", scenario.name},
                                   {"protocol", scenario.protocol.name},
                                   {"seed", scenario.seed},
                                   {"verdict", result.pass ? "pass" : "fail"}});
  JsonValue violations = JsonValue::array();
  for (const sim::Violation& violation : result.violations) {
    auto v =
        JsonValue::object({{"oracle", violation.oracle}, {"time_ns", violation.at.ns()}, {"what", violation.what}});
    if (violation.about.key) v.set("key", sim::printed_key(*violation.about.key));
    if (!violation.about.operations.empty()) {
      v.set("operations", array_of(violation.about.operations, [](sim::OperationId id) { return id.number(); }));
    }
    violations.push(std::move(v));
  }
  report.set("violations", std::move(violations));
  report.set("violation_count", result.violation_count);
  JsonValue lost_writes = JsonValue::array();
  for (const LostWrite& lost : result.lost_writes) {
    auto write = JsonValue::object({{"key", sim::printed_key(sim::Key{lost.key})},
                                    {"value", lost.value},
                                    {"author", lost.author},
                                    {"time_ns", lost.at.ns()},
                                    {"why", std::string(sim::to_string(lost.why))}});
    if (lost.recovered != 0) write.set("recovered", lost.recovered);
    lost_writes.push(std::move(write));
  }
  report.set("lost_writes", std::move(lost_writes));
  if (!result.stall.waits.empty()) report.set("stall", stall_json(result.stall));
  JsonValue judged = JsonValue::object();
  for (const Judged& one : result.judged) {
    judged.set(one.oracle, JsonValue::object({{"count", one.count}, {"of", one.of}, {"promised", one.promised}}));
  }
  report.set("judged", std::move(judged));
  report.set("lost_write_count", result.lost_write_count);
  report.set("failed_expectations", array_of(result.failed_expectations));
  report.set("busiest", array_of(result.busiest, busiest_json));
  const models::BusiestResource* limit = limiting_resource(result.busiest);
  report.set("limited_by", limit != nullptr ? JsonValue(limit->kind) : JsonValue());
  report.set("run_hash", result.hash.hex());
  report.set("events", result.events);
  report.set("simulated_ns", result.simulated.ns());
  report.set("wall_s", result.wall_seconds);
  report.set("steady_state", steady_state_json(result.steady));
  report.set("wall", wall_json(result));
  JsonValue values = JsonValue::object();
  JsonValue whole_run = JsonValue::object();
  values.set("operations", result.operations);
  values.set("measured_ns", result.measured.ns());
  values.set("throughput_mops", metric_value(metrics, "throughput_mops").value_or(0));
  if (const sim::Metric* latency = metrics.find("latency")) values.set("latency_ns", metric_json(*latency));
  for (const auto& [name, metric] : metrics.all()) {
    values.set(name, metric_json(metric));
    if (const auto* counter = std::get_if<sim::Counter>(&metric.value)) whole_run.set(name, counter->value);
  }
  report.set("metrics", std::move(values));
  report.set("whole_run", std::move(whole_run));
  report.set("provenance", provenance_json());
  if (origin != nullptr) {
    report.set("command", origin->command);
    report.set("inputs", origin->inputs);
    report.set("histograms", histograms_json(metrics));
    report.set("metric_descriptions", metric_descriptions_json(metrics));
  }
  report.set("config", configuration(scenario));
  return report;
}

}  // namespace racksim::tools
