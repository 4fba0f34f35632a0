// racksim explain FILE: runs a scenario that fails, then runs it again and shows what led to a violation.
//
// Both runs happen in child processes, since a process can make SimGrid's engine once. The first finds the violations;
// the second is the same run, hash included, with a recorder attached that knows where to look.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/explain/chart.hpp"
#include "tools/explain/recorder.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

struct ExplainOptions {
  std::string file;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> overrides;
  std::optional<std::uint64_t> violation;
  std::string key;
  std::optional<std::uint64_t> last;
  std::string from, to;
  std::string svg, out;
};

/// Runs work in a child process and gives its answer; what the child threw is thrown again.
std::string in_child(const ChildProcesses::Work& work) {
  // Bad input must come back as what it is: it is the only failure that has a status of its own.
  const auto answering = [&work]() -> std::string {
    try {
      return "+" + work();
    } catch (const InputError& error) {
      JsonValue parts = JsonValue::array();
      for (const auto& part : {error.file(), error.pointer(), error.found(), error.expected(), error.nearest()}) {
        parts.push(part);
      }
      return "-" + to_canonical_json(parts);
    }
  };
  const std::string text = answer_of(answering, "the run had not ended, nothing was explained").text;
  if (text.starts_with('+')) return text.substr(1);
  const JsonValue parts = parse_json(text.substr(1), "explain");
  const auto part = [&](std::size_t i) { return *(*parts.elements())[i].string(); };
  throw InputError(part(0), part(1), part(2), part(3), part(4));
}

JsonValue to_json_value(const sim::Violation& violation) {
  auto value =
      JsonValue::object({{"oracle", violation.oracle}, {"at_ps", violation.at.ps()}, {"what", violation.what}});
  if (violation.about.key) value.set("key", violation.about.key->number());
  value.set("operations", array_of(violation.about.operations, [](sim::OperationId id) { return id.number(); }));
  return value;
}

sim::Violation violation_of(const JsonValue& value) {
  sim::Violation violation;
  violation.oracle = *value.find("oracle")->string();
  violation.at = sim::Time::from_ps(static_cast<std::int64_t>(*value.find("at_ps")->natural()));
  violation.what = *value.find("what")->string();
  if (const JsonValue* key = value.find("key")) violation.about.key = sim::Key{*key->natural()};
  for (const JsonValue& id : *value.find("operations")->elements())
    violation.about.operations.push_back(sim::OperationId{*id.natural()});
  return violation;
}

/// The violations of a run, and its hash, which the second run must repeat.
struct Findings {
  std::vector<sim::Violation> violations;
  std::string hash;
};

Findings find_violations(const Scenario& scenario) {
  const std::string answer = in_child([&] {
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", Progress());
    JsonValue findings = JsonValue::object();
    findings.set("violations", array_of(result.violations, to_json_value));
    findings.set("hash", result.hash.hex());
    return to_canonical_json(findings);
  });
  const JsonValue parsed = parse_json(answer, "explain");
  Findings findings{{}, *parsed.find("hash")->string()};
  for (const JsonValue& value : *parsed.find("violations")->elements())
    findings.violations.push_back(violation_of(value));
  return findings;
}

/// What the second run gives: texts, and the SVG document.
struct Explanation {
  std::string text, svg;
};

/// An explanation's subject in words, line by line.
std::vector<std::string> title_of(const Scenario& scenario, const sim::Violation& violation) {
  std::vector<std::string> lines{fmt::format("{} ({}, seed {}): block or key {}", scenario.name, scenario.protocol.name,
                                             scenario.seed, sim::printed_key(*violation.about.key))};
  if (!violation.oracle.empty()) {
    lines.push_back(fmt::format("{} at {}: {}", violation.oracle, sim::printed(violation.at), violation.what));
  }
  return lines;
}

Explanation explain_in_child(const Scenario& scenario, const sim::Violation& violation, const explain::Extract& extract,
                             const std::string& expected_hash) {
  explain::Filter filter{*violation.about.key, violation.about.operations, violation.at, extract.from};
  const std::vector<std::string> title = title_of(scenario, violation);
  const std::string answer = in_child([&] {
    sim::Metrics metrics;
    explain::Recorder recorder(filter);
    const RunResult result =
        run_experiment(scenario, metrics, "", {}, nullptr,
                       [&](models::Rack& rack, const models::Protocol& protocol) { recorder.attach(rack, protocol); });
    if (result.hash.hex() != expected_hash) {
      throw std::runtime_error(
          fmt::format("the run was not repeated: its hash is {}, it was {}", result.hash.hex(), expected_hash));
    }
    const explain::Chart chart =
        explain::make_chart(recorder.history(), extract, std::min(violation.at, result.simulated));
    std::string text = explain::text_chart(chart);
    if (!chart.registers.empty())
      text += "\nregisters of the switch before and after what is shown\n" + text_registers(chart);
    auto value = JsonValue::object({{"text", std::move(text)}, {"svg", explain::svg_chart(chart, title)}});
    return to_canonical_json(value);
  });
  const JsonValue value = parse_json(answer, "explain");
  return {*value.find("text")->string(), *value.find("svg")->string()};
}

sim::Key parse_key(const std::string& text) {
  std::uint64_t key = 0;
  const bool hex = text.starts_with("0x");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, key, hex ? 16 : 10);
  if (error != std::errc() || stop != end) {
    throw InputError("racksim explain", "--key", quote(text), "a number such as 0x3000000001");
  }
  return sim::Key{key};
}

std::optional<sim::Time> parse_instant(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  try {
    return sim::Time{} + parse_length(text);
  } catch (const UnitError& error) {
    throw InputError("racksim explain", option, quote(text), error.what());
  }
}

/// The violation to explain: the one asked for, or the first that names a key, or that names the key asked for. With a
/// key and no such violation, the whole run of that key.
std::optional<sim::Violation> chosen(const ExplainOptions& options, const std::vector<sim::Violation>& violations) {
  std::optional<sim::Key> key;
  if (!options.key.empty()) key = parse_key(options.key);
  if (options.violation) {
    if (*options.violation < 1 || *options.violation > violations.size()) {
      throw InputError("racksim explain", "--violation", std::to_string(*options.violation),
                       violations.empty() ? std::string("no --violation, since the run has none")
                                          : fmt::format("a number from 1 to {}", violations.size()));
    }
    sim::Violation violation = violations[*options.violation - 1];
    if (key) violation.about.key = key;
    if (!violation.about.key) {
      throw InputError("racksim explain", "--violation", fmt::format("{} ({})", *options.violation, violation.oracle),
                       "a violation that names a key, or --key");
    }
    return violation;
  }
  for (const sim::Violation& violation : violations) {
    if (violation.about.key && (!key || violation.about.key == key)) return violation;
  }
  if (key) return sim::Violation{"", sim::Time::max(), "", {key, {}}};
  return std::nullopt;
}

int run(const ExplainOptions& options, CommandContext& context) {
  std::vector<std::string> overrides = options.overrides;
  if (options.seed) overrides.push_back(fmt::format("seed={}", *options.seed));
  Scenario scenario = load_scenario(find_scenario_file(options.file), context.catalogue, overrides);
  scenario.observe.trace.clear();
  explain::Extract extract;
  if (options.last) extract.last = *options.last;
  extract.from = parse_instant(options.from, "--from");
  extract.to = parse_instant(options.to, "--to");
  if (extract.from && extract.to && *extract.to < *extract.from) {
    throw InputError("racksim explain", "--to", quote(options.to), "an instant after --from");
  }
  const auto text_file = std::filesystem::path(options.out) / "explanation.txt";
  const auto svg_file = std::filesystem::path(options.out) / "explanation.svg";
  if (!options.svg.empty()) check_output(options.svg, "racksim explain", "--svg");
  if (!options.out.empty()) {
    make_folder(options.out, "racksim explain", "--out");
    for (const auto& file : {text_file, svg_file}) check_output(file, "racksim explain", "--out");
  }

  if (!options.key.empty()) {
    in_child([&] {
      check_key(scenario, parse_key(options.key), {"racksim explain", "--key"});
      return std::string();
    });
  }
  const Findings findings = find_violations(scenario);
  const auto violation = chosen(options, findings.violations);
  if (!violation) {
    context.out << (findings.violations.empty() ? "the run has no violation" : "no violation of the run names a key")
                << "; --key shows what happened to a block or key\n";
    return exit_ok;
  }
  const Explanation explanation = explain_in_child(scenario, *violation, extract, findings.hash);
  std::string text;
  for (const auto& line : title_of(scenario, *violation)) text += line + '\n';
  text += '\n' + explanation.text;
  context.out << text << std::flush;
  if (!options.svg.empty()) write_file(options.svg, explanation.svg, "racksim explain", "--svg");
  if (!options.out.empty()) {
    write_file(text_file, text, "racksim explain", "--out");
    write_file(svg_file, explanation.svg, "racksim explain", "--out");
  }
  return exit_ok;
}

void add_explain(CommandContext& context) {
  auto* command =
      context.app.add_subcommand("explain", "Show what led to a violation: messages, operations, registers");
  const auto options = std::make_shared<ExplainOptions>();
  add_scenario(*command, "FILE", options->file, "Scenario file");
  add_number(*command, "--seed", options->seed, "Replace the scenario's seed");
  command->add_option("--set", options->overrides, "Replace a value: path=value")->expected(1)->take_all();
  add_number(*command, "--violation", options->violation,
             "Number of the violation, from 1 (default: the first with a key)", {1});
  command->add_option("--key", options->key, "Block or key to look at, such as 0x3000000001");
  auto* last = add_number(*command, "--last", options->last, "Show the last so many events only", {1});
  command->add_option("--from", options->from, "Show events from this instant on, such as 45us")->excludes(last);
  command->add_option("--to", options->to, "Show events up to this instant")->excludes(last);
  command->add_option("--svg", options->svg, "Write the chart as SVG to this file");
  command->add_option("--out", options->out, "Write text and SVG to this folder");
  command->callback([&context, options] { context.action = [&context, options] { return run(*options, context); }; });
}

const sim::Registration<CommandEntry> explain_command({.name = "explain", .add = add_explain});

}  // namespace

}  // namespace racksim::tools
