// See report_text.hpp.
#include "tools/report/report_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tools/experiment/run_metrics.hpp"
#include "tools/report/limit.hpp"
#include "tools/report/sparkline.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

/// Slots below which a run has no shape, and operations in the mean of one below which it is all chance.
constexpr std::size_t kFewestSlots = 8;
constexpr double kFewestInSlot = 10;

void add_line(std::string& out, std::string_view name, std::string_view text) {
  out += fmt::format("{:<13}{}\n", name, text);
}

/// A line about a part of what the line above is about.
void add_part(std::string& out, std::string_view name, std::string_view text) {
  out += fmt::format("  {:<11}{}\n", name, text);
}

double latency_ns(const sim::Metrics& metrics, const char* what) {
  return metric_value(metrics, std::string("latency_ns.") + what).value_or(0);
}

std::string percentiles_text(const sim::Metrics& metrics) {
  std::string text;
  for (const auto& [name, value] :
       {std::pair{"mean", "mean"}, {"p50", "p50"}, {"p95", "p95"}, {"p99", "p99"}, {"p99.9", "p999"}, {"max", "max"}}) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "  ", name, shown_duration(latency_ns(metrics, value)));
  }
  return text;
}

/// Whether a run is long enough to be drawn.
bool has_shape(const RunOverTime& run) {
  double operations = 0;
  for (const auto& slot : run.slots) operations += slot.mops * run.width.ns() / 1e3;
  return run.slots.size() >= kFewestSlots && operations >= kFewestInSlot * static_cast<double>(run.slots.size());
}

/// "▁▇▇|▇▇▇|▂  up to 10.2 Mops, in slots of 262.1 us": the bars between the strokes were measured.
template <class ValueOf, class Shown>
void add_over_time(std::string& out, const char* name, const RunOverTime& run, ValueOf value_of, Shown shown) {
  if (!has_shape(run)) return;
  std::vector<std::optional<double>> values;
  double largest = 0;
  for (const auto& slot : run.slots) {
    values.push_back(value_of(slot));
    largest = std::max(largest, values.back().value_or(0));
  }
  add_part(out, name,
           fmt::format("{}  up to {}, in slots of {}", sparkline(values, run.begin, run.end), shown(largest),
                       shown_duration(run.width.ns())));
}

void add_throughput(std::string& out, const RunResult& result, const sim::Metrics& metrics) {
  const auto mops = [](double value) { return shown_number(value) + " Mops"; };
  add_line(out, "throughput",
           fmt::format("{}  ({} operations in {} of simulated time)",
                       mops(metric_value(metrics, "throughput_mops").value_or(0)), result.operations,
                       shown_duration(result.measured.ns())));
  add_over_time(
      out, "over time", result.over_time, [](const auto& slot) { return std::optional(slot.mops); }, mops);
}

void add_latency(std::string& out, const RunResult& result, const sim::Metrics& metrics) {
  add_line(out, "latency", result.operations == 0 ? "no operations" : percentiles_text(metrics));
  // Its parts by kind of operation and by who answered, where there are several.
  for (const auto& [name, metric] : metrics.all()) {
    const auto* part = std::get_if<sim::Histogram>(&metric.value);
    if (part == nullptr || !name.starts_with("latency.") || part->count() == 0) continue;
    if (part->count() == result.operations) continue;
    const double share = static_cast<double>(part->count()) / static_cast<double>(result.operations);
    add_part(out, name.substr(name.find('.') + 1),
             fmt::format("mean {}  p50 {}  p99 {}  ({} operations, {})", shown_duration(part->mean().ns()),
                         shown_duration(part->percentile(50).ns()), shown_duration(part->percentile(99).ns()),
                         part->count(), shown_percent(share)));
  }
  add_over_time(
      out, "p99", result.over_time, [](const auto& slot) { return slot.p99_ns; }, shown_duration);
}

void add_nodes(std::string& out, const sim::Metrics& metrics) {
  const auto of = [&](const char* name) { return metric_value(metrics, name).value_or(0); };
  if (of("operations.max_node") == 0) return;
  add_line(
      out, "nodes",
      fmt::format("{} to {} operations each, fairness {:.4f} (Jain's index)", shown_number(of("operations.min_node")),
                  shown_number(of("operations.max_node")), of("operations.fairness")));
}

/// A line about a number that is not 0, or about trouble in another part of the run; else nothing.
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

/// What a person asks first beside throughput and latency: which shares of the operations were answered how, in one line,
/// and the outcomes of a litmus test.
void add_asked_first(std::string& out, const sim::Metrics& metrics) {
  std::string shares, lines;
  for (const auto& [name, metric] : metrics.all()) {
    const auto number = metric.number();
    if (metric.shown != sim::Shown::always || !number || *number == 0) continue;
    if (metric.unit != "share") {
      lines += metric_line(name, metric);
      continue;
    }
    shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", name, shown_percent(*number));
  }
  if (!shares.empty()) add_line(out, "shares", shares);
  out += lines;
}

void add_trouble(std::string& out, const sim::Metrics& metrics) {
  std::string lines;
  for (const auto& [name, metric] : metrics.all()) {
    if (metric.shown == sim::Shown::trouble) lines += metric_line(name, metric);
  }
  if (!lines.empty()) out += "trouble\n" + lines;
}

/// All else that is meant for people, by the first word of the names. What exists once for each of many is in the JSON
/// report.
void add_metrics(std::string& out, const sim::Metrics& metrics) {
  std::string last;
  for (const auto& [name, metric] : metrics.all()) {
    if (metric.shown != sim::Shown::verbose) continue;
    const std::string line = metric_line(name, metric);
    if (line.empty()) continue;
    const std::string group = name.substr(0, name.find('.'));
    if (group != last) out += group + '\n';
    last = group;
    out += line;
  }
}

/// "data-value (1,024 operations), packet-conservation (9,121 packets)": who has judged how many of what.
std::string checked_text(const std::vector<Judged>& judged) {
  std::string text;
  for (const Judged& one : judged) {
    if (one.count == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} ({})", one.oracle, counted(one.count, one.of));
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

std::string profile_text(const Profile& profile) {
  std::string text =
      fmt::format("profile      {:.2f} s of a processor, {} samples\n", profile.total(), profile.samples);
  for (std::size_t part = 0; part < kParts; ++part) {
    const double share = profile.share(static_cast<Part>(part));
    text += fmt::format("  {:<10}{:>6.1f} %\n", to_string(static_cast<Part>(part)), 100 * share);
  }
  return text;
}

void add_findings(std::string& out, const RunResult& result) {
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
}

void add_commands(std::string& out, const RunResult& result, const RunCommands& commands) {
  if (result.violation_count > 0) add_line(out, "replay", commands.replay);
  const auto& violations = result.violations;
  const bool names_key =
      std::any_of(violations.begin(), violations.end(), [](const auto& v) { return v.about.key.has_value(); });
  if (names_key && !commands.explain.empty()) add_line(out, "explain", commands.explain);
}

}  // namespace

std::string report_text(const Scenario& scenario, const RunResult& result, const sim::Metrics& metrics,
                        const RunCommands& commands, Detail detail) {
  std::string out;
  add_line(out, "scenario", fmt::format("{} ({}, seed {})", scenario.name, scenario.protocol.name, scenario.seed));
  add_throughput(out, result, metrics);
  add_latency(out, result, metrics);
  add_asked_first(out, metrics);
  add_nodes(out, metrics);
  if (const std::string limit = limit_text(result, metrics); !limit.empty()) add_line(out, "limited by", limit);
  if (result.lost_write_count > 0) {
    add_line(out, "lost",
             fmt::format("{} acknowledged writes, undone by crashes as the protocol says that they may be",
                         result.lost_write_count));
  }
  add_trouble(out, metrics);
  if (detail == Detail::all) add_metrics(out, metrics);
  add_line(out, "simulated",
           fmt::format("{} in {:.2f} s of real time, {} events", shown_duration(result.simulated.ns()),
                       result.wall_seconds, result.events));
  out += steady_state_text(result.steady, detail == Detail::all);
  if (result.profile) out += profile_text(*result.profile);
  add_line(out, "checked",
           result.judged.empty() ? "nothing: the scenario asks for no oracle" : checked_text(result.judged));
  const std::string not_judged = not_judged_text(result.judged);
  if (!not_judged.empty()) add_line(out, "not judged", not_judged + ": the run had nothing for them");
  add_line(out, "run hash", result.hash.hex());
  add_line(out, "verdict", result.pass ? "pass" : "FAIL");
  add_findings(out, result);
  add_commands(out, result, commands);
  return out;
}

}  // namespace racksim::tools
