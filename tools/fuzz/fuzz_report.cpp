// Reports of campaigns. See fuzz_report.hpp.
#include "tools/fuzz/fuzz_report.hpp"

#include <fmt/core.h>

#include <utility>

#include "tools/experiment/provenance.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {

namespace {

std::string coverage_line(const sim::Coverage::Count& count) {
  const auto part = [](std::size_t reached, std::size_t declared, const char* what) {
    return declared == 0 ? std::string() : fmt::format(", {} of {} {}", reached, declared, what);
  };
  const std::string parts = part(count.pairs, count.possible_pairs, "(state, message) pairs") +
                            part(count.race_points, count.declared_race_points, "race points") +
                            part(count.rows, count.declared_rows, "rows of transition tables");
  return parts.empty() ? "the protocol declares none" : parts.substr(2);
}

double share(const TrialResult::Work& work) {
  return work.whole == 0 ? 0 : static_cast<double>(work.part) / static_cast<double>(work.whole);
}

/// "pass" is said of a campaign that came to its end.
const char* verdict(const FuzzReport& report, const char* fail) {
  if (!report.result.failures.empty() || !report.lost.empty()) return fail;
  return report.result.interrupted ? "interrupted" : "pass";
}

/// In lines that a person can read.
std::string list_text(const char* name, const std::vector<std::string>& all) {
  constexpr std::size_t kWidth = 100;
  std::string text, line;
  const auto end_line = [&] { text += fmt::format("{:<13}{}\n", std::exchange(name, ""), std::exchange(line, "")); };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (line.size() + all[i].size() > kWidth) end_line();
    line += fmt::format("{}{}{}", line.empty() ? "" : " ", all[i], i + 1 < all.size() ? "," : "");
  }
  if (!line.empty()) end_line();
  return text;
}

/// Of what may be drawn how often each was, and what never was: a template whose runs leave a part of the protocol
/// alone says nothing of it.
std::string drawn_text(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  const std::vector<std::string> names = report.swarm.draws();
  std::vector<std::string> drawn, never;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (result.drawn[i] > 0) drawn.push_back(fmt::format("{} {}", names[i], result.drawn[i]));
    if (result.drawn[i] == 0) never.push_back(names[i]);
  }
  return list_text("drawn", drawn) + list_text("never drawn", never);
}

JsonValue coverage_json(const sim::Coverage& coverage) {
  const auto count = coverage.count();
  const auto& map = coverage.map();
  auto value = JsonValue::object({{"pairs", count.pairs},
                                  {"possible_pairs", count.possible_pairs},
                                  {"race_points", count.race_points},
                                  {"declared_race_points", count.declared_race_points},
                                  {"rows", count.rows},
                                  {"declared_rows", count.declared_rows}});
  JsonValue impossible = JsonValue::array();
  for (const auto& [state, reason] : map.impossible) {
    JsonValue& entry = impossible.push(JsonValue::object());
    entry.set("state", map.states[state]);
    entry.set("reason", reason);
  }
  JsonValue reached = JsonValue::array(), never = JsonValue::array(), unexpected = JsonValue::array();
  for (std::size_t point = 0; point < map.points(); ++point) {
    const bool impossible_pair = point < map.pairs() && map.is_impossible(point / map.messages.size());
    if (coverage.reached(point)) {
      (impossible_pair ? unexpected : reached).push(map.name_of(point));
    } else if (!impossible_pair) {
      never.push(map.name_of(point));
    }
  }
  value.set("impossible_states", std::move(impossible));
  value.set("reached", std::move(reached));
  value.set("never_reached", std::move(never));
  value.set("reached_though_impossible", std::move(unexpected));
  return value;
}

}  // namespace

std::string fuzz_report_text(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  std::string out;
  const auto line = [&](const std::string& name, const std::string& text) {
    out += fmt::format("{:<13}{}\n", name, text);
  };
  line("template", fmt::format("{} ({}), fuzz seed {}, {} parameters varied", report.file,
                               report.swarm.original().protocol.name, report.seed, report.swarm.varied().size()));
  line("runs", fmt::format("{} in {:.1f} s, {:.0f}/s with {} jobs; {} operations, {} events{}", result.runs,
                           result.wall_seconds, static_cast<double>(result.runs) / result.wall_seconds, report.jobs,
                           result.operations, result.events, result.interrupted ? "; then interrupted" : ""));
  if (result.redraws > 0) line("redraws", fmt::format("{}, where options did not fit each other", result.redraws));
  if (result.refused > 0) line("refused", fmt::format("{}, the first: {}", result.refused, result.first_refusal));
  out += drawn_text(report);
  const auto& declared = work_shares(report.swarm.original());
  for (std::size_t i = 0; i < result.work.size(); ++i) {
    line(i == 0 ? "mechanism" : "", fmt::format("{:.1f} % {}", 100 * share(result.work[i]), declared[i].doc));
  }
  line("coverage", coverage_line(result.coverage.count()));
  const auto& map = result.coverage.map();
  for (std::size_t point = map.pairs(); point < map.points(); ++point) {
    if (!result.coverage.reached(point)) out += fmt::format("  never reached: {}\n", map.name_of(point));
  }
  for (const auto& point : report.lost) out += fmt::format("  LOST, of the baseline: {}\n", point);
  line("failures", std::to_string(result.failures.size()));
  for (std::size_t i = 0; i < result.failures.size(); ++i) {
    const FuzzFailure& failure = result.failures[i];
    out += fmt::format("  run {}: {}\n", failure.index, description(failure.result));
    if (!report.files[i].empty()) line("replay", racksim_command("run", report.files[i]));
    line(report.files[i].empty() ? "replay" : "", report.commands[i]);
  }
  if (report.shrunk && !report.shrunk_file.empty()) out += shrink_text(*report.shrunk, report.shrunk_file);
  line("verdict", verdict(report, "FAIL"));
  return out;
}

JsonValue fuzz_report_json(const FuzzReport& about) {
  const FuzzResult& result = about.result;
  auto report = JsonValue::object({{"template", about.swarm.file()},
                                   {"protocol", about.swarm.original().protocol.name},
                                   {"seed", about.seed},
                                   {"verdict", verdict(about, "fail")},
                                   {"interrupted", result.interrupted},
                                   {"runs", result.runs},
                                   {"redraws", result.redraws},
                                   {"refused", result.refused}});
  JsonValue& work = report.set("mechanisms", JsonValue::array());
  for (std::size_t i = 0; i < result.work.size(); ++i) {
    const models::WorkShare& declared = work_shares(about.swarm.original())[i];
    JsonValue& entry = work.push(JsonValue::object());
    entry.set("what", declared.doc);
    entry.set(declared.part, result.work[i].part);
    entry.set(declared.whole, result.work[i].whole);
    entry.set("share", share(result.work[i]));
  }
  report.set("operations", result.operations);
  report.set("events", result.events);
  report.set("wall_s", result.wall_seconds);
  report.set("provenance", provenance_json());
  report.set("varied", array_of(about.swarm.varied()));
  JsonValue& drawn = report.set("drawn", JsonValue::object());
  const std::vector<std::string> names = about.swarm.draws();
  for (std::size_t i = 0; i < names.size(); ++i) drawn.set(names[i], result.drawn[i]);
  report.set("coverage", coverage_json(result.coverage));
  if (about.baseline) {
    report.set("lost_race_points", array_of(about.lost));
  }
  JsonValue& failures = report.set("failures", JsonValue::array());
  for (std::size_t i = 0; i < result.failures.size(); ++i) {
    const FuzzFailure& failure = result.failures[i];
    JsonValue& entry = failures.push(JsonValue::object());
    entry.set("run", failure.index);
    entry.set("oracles", array_of(failure.result.kinds));
    entry.set("time_ns", failure.result.at.ns());
    entry.set("what", failure.result.what);
    if (!about.files[i].empty()) entry.set("file", about.files[i]);
    entry.set("replay", about.commands[i]);
  }
  if (about.shrunk) {
    JsonValue& entry = report.set("shrunk", JsonValue::object());
    entry.set("file", about.shrunk_file);
    entry.set("oracle", about.shrunk->result.kind);
    entry.set("what", about.shrunk->result.what);
    entry.set("runs", about.shrunk->runs);
    entry.set("local_minimum", about.shrunk->minimal);
  }
  return report;
}

}  // namespace racksim::tools
