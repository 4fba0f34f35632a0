// Reports. See report.hpp.
#include "tools/experiment/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tools/experiment/metric_list.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/experiment/run_metrics.hpp"
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

double value_of(const sim::Metrics& metrics, const char* name) {
  return metric_value(metrics, name).value_or(0);
}

std::string duration_text(double ns) {
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  return fmt::format("{:.2f} ms", ns / 1e6);
}

/// A number as counters are printed: whole from 1,000 on, four significant digits below, never an exponent.
std::string shown_number(double value) {
  const double size = std::abs(value);
  if (!(size < 999.95)) return fmt::format("{:.0f}", value);
  int decimals = 1;
  for (double scaled = size; scaled != 0 && scaled < 99.995 && decimals < 15; scaled *= 10) ++decimals;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

/// A line of the report about a number that is not 0, or about trouble in another part of the run; else nothing.
std::string metric_line(const std::string& name, const sim::Metric& metric) {
  const auto number = metric.number();
  if (!number) return "";
  const std::string value = shown_number(*number);
  std::string whole_run;
  if (const auto* counter = std::get_if<sim::Counter>(&metric.value); metric.shown == sim::Shown::trouble) {
    if (counter->value != counter->in_window()) whole_run = fmt::format("  ({} in the whole run)", counter->value);
  }
  if (value == "0" && whole_run.empty()) return "";
  return fmt::format("  {:<48}{:>14} {}{}\n", name, value, metric.unit, whole_run);
}

/// A resource that works for so much of the window is what limits the run.
constexpr double kLimits = 0.95;

/// Of those that have all hands full the one for which most wait, else the busiest; null for an empty window. Where
/// nobody counts who waits it is no limit that is seen: a full buffer comes of one, and what circulates idle fills a
/// recirculation port.
const models::BusiestResource* foremost(const std::vector<models::BusiestResource>& busiest) {
  const models::BusiestResource* most = nullptr;
  for (const auto& one : busiest) {
    if (!one.waiting) continue;
    if (most == nullptr || (one.busy >= kLimits && *one.waiting > *most->waiting)) most = &one;
  }
  return most;
}

/// What keeps the run from being faster: a resource, or, where none has all hands full, that operations take their time
/// (Little's law).
std::string limit_text(const RunResult& result, const sim::Metrics& metrics) {
  const auto* most = foremost(result.busiest);
  if (most == nullptr || result.measured <= sim::Duration{}) return "";
  const std::string who = fmt::format("{} ({})", most->kind, most->name);
  if (most->busy >= kLimits) {
    return fmt::format("{}, at work for {:.1f} % of the window; {} wait for it in the mean, one for {}", who,
                       100 * most->busy, shown_number(*most->waiting), duration_text(most->longest->ns()));
  }
  std::string text =
      fmt::format("latency: the busiest resource, {}, is at work for {:.1f} % of the window", who, 100 * most->busy);
  if (result.operations == 0) return text;
  const double mops = value_of(metrics, "throughput_mops"), mean = value_of(metrics, "latency_ns.mean");
  return text + fmt::format("; {} operations under way = {:.3f} Mops x {}", shown_number(mops * mean / 1e3), mops,
                            duration_text(mean));
}

JsonValue busiest_json(const models::BusiestResource& one) {
  auto value = JsonValue::object({{"kind", one.kind}, {"name", one.name}, {"busy", one.busy}});
  if (one.waiting) value.set({{"waiting", *one.waiting}, {"longest_wait_ns", one.longest->ns()}});
  return value;
}

/// "data-value (1,024 operations), packet-conservation (9,121 packets)": who has judged how many of what.
std::string checked_text(const std::vector<Judged>& judged) {
  std::string text;
  for (const Judged& one : judged) {
    if (one.count == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({} {}{})", one.oracle, one.count, one.of, one.count == 1 ? "" : "s");
  }
  return text;
}

/// Those that have judged nothing.
std::string not_judged_text(const std::vector<Judged>& judged) {
  std::string text;
  for (const Judged& one : judged) {
    if (one.count > 0) continue;
    if (!text.empty()) text += ", ";
    text += one.oracle;
    if (one.promised) text += " (promised)";
  }
  return text;
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

std::string profile_text(const Profile& profile) {
  std::string text =
      fmt::format("profile      {:.2f} s of a processor, {} samples\n", profile.total(), profile.samples);
  for (std::size_t part = 0; part < kParts; ++part) {
    const double share = profile.share(static_cast<Part>(part));
    text += fmt::format("  {:<10}{:>6.1f} %\n", to_string(static_cast<Part>(part)), 100 * share);
  }
  return text;
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
  const auto* most = foremost(result.busiest);
  report.set("limited_by", most != nullptr && most->busy >= kLimits ? JsonValue(most->kind) : JsonValue());
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
  values.set("throughput_mops", value_of(metrics, "throughput_mops"));
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

std::string report_text(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                        const RunCommands& commands, Detail detail) {
  std::string out;
  const auto line = [&](const std::string& name, const std::string& text) {
    out += fmt::format("{:<13}{}\n", name, text);
  };
  line("scenario", fmt::format("{} ({}, seed {})", scenario.name, scenario.protocol.name, scenario.seed));
  line("throughput",
       fmt::format("{:.3f} Mops  ({} operations in {} of simulated time)", value_of(metrics, "throughput_mops"),
                   result.operations, duration_text(result.measured.ns())));
  const auto latency = [&](const char* name) {
    return duration_text(value_of(metrics, (std::string("latency_ns.") + name).c_str()));
  };
  if (result.operations == 0) {
    line("latency", "no operations");
  } else {
    line("latency", fmt::format("mean {}  p50 {}  p95 {}  p99 {}  p99.9 {}  max {}", latency("mean"), latency("p50"),
                                latency("p95"), latency("p99"), latency("p999"), latency("max")));
  }
  // The parts of the latency that the service tells apart, if there are several.
  for (const auto& [name, metric] : metrics.all()) {
    const auto* part = std::get_if<sim::Histogram>(&metric.value);
    if (part == nullptr || !name.starts_with("latency.") || part->count() == 0) continue;
    if (part->count() == result.operations) continue;
    out += fmt::format("  {:<11}mean {}  p50 {}  p99 {}  ({} operations)\n", name.substr(name.find('.') + 1),
                       duration_text(part->mean().ns()), duration_text(part->percentile(50).ns()),
                       duration_text(part->percentile(99).ns()), part->count());
  }
  if (const double most = value_of(metrics, "operations.max_node"); most > 0) {
    line("nodes",
         fmt::format("{:.0f} to {:.0f} operations each, fairness {:.4f} (Jain's index)",
                     value_of(metrics, "operations.min_node"), most, value_of(metrics, "operations.fairness")));
  }
  if (const std::string limit = limit_text(result, metrics); !limit.empty()) line("limited by", limit);
  // What is zero, and what exists once for each server, is in the JSON report.
  for (const auto& [name, metric] : metrics.all()) {
    if (metric.shown == sim::Shown::json || (metric.shown == sim::Shown::verbose && detail != Detail::all)) continue;
    out += metric_line(name, metric);
  }
  line("simulated", fmt::format("{} in {:.2f} s of real time, {} events", duration_text(result.simulated.ns()),
                                result.wall_seconds, result.events));
  out += steady_state_text(result.steady, detail == Detail::all);
  if (result.profile) out += profile_text(*result.profile);
  line("checked", result.judged.empty() ? "nothing: the scenario asks for no oracle" : checked_text(result.judged));
  const std::string not_judged = not_judged_text(result.judged);
  if (!not_judged.empty()) line("not judged", not_judged + ": the run had nothing for them");
  if (result.lost_write_count > 0) {
    line("lost", fmt::format("{} acknowledged writes, undone by crashes as the protocol says that they may be",
                             result.lost_write_count));
  }
  line("run hash", result.hash.hex());
  line("verdict", result.pass ? "pass" : "FAIL");
  for (const sim::Violation& violation : result.violations) {
    out += fmt::format("  {} at {:.3f} ns: {}\n", violation.oracle, violation.at.ns(), violation.what);
  }
  if (result.violation_count > result.violations.size()) {
    out += fmt::format("  and {} more violations\n", result.violation_count - result.violations.size());
  }
  const auto waits = lines_of(result.stall, 12);
  if (!waits.empty()) out += "  who waits for whom, when it stood still:\n";
  for (const std::string& line : waits) out += "    " + line + '\n';
  for (const std::string& expectation : result.failed_expectations) out += fmt::format("  {}\n", expectation);
  if (result.violation_count > 0) line("replay", commands.replay);
  const auto& violations = result.violations;
  const bool names_key =
      std::any_of(violations.begin(), violations.end(), [](const auto& v) { return v.about.key.has_value(); });
  if (names_key && !commands.explain.empty()) line("explain", commands.explain);
  return out;
}

}  // namespace racksim::tools
