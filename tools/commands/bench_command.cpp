// racksim bench: how fast and how big the simulator is on this machine, as ratios to what people would use otherwise.
// It judges nothing: aims are printed beside the numbers, and the exit status says only that it ran.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tools/bench/hold_model.hpp"
#include "tools/bench/instructions.hpp"
#include "tools/bench/lcf_passes.hpp"
#include "tools/bench/memory_estimates.hpp"
#include "tools/bench/rpc_echo.hpp"
#include "tools/bench/scenario_runs.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

struct BenchOptions {
  bool quick = false;
  bool json = false;
  bool instructions = false, parts = false;
  std::vector<std::string> rows;
  std::string against, record, alone;
  std::uint64_t length = 0;
};

constexpr double kMultisetAim = 2, kEventsAim = 8, kMessageAim = 6, kMemoryAim = 1024, kIdleAim = 100, kHostsAim = 0.6;
constexpr const char *kMicroScenario = "flowcc/micro.json", *kGamScenario = "gam/micro-sharing-quick.json";

/// What is measured, in numbers that both outputs show.
struct Row {
  std::string name, unit;
  Spread value;
  std::optional<double> aim;
  bool at_least = true;  ///< the aim is a lower bound, else an upper one

  bool met() const { return !aim || (at_least ? value.median >= *aim : value.median <= *aim); }
};

struct Lengths {
  unsigned rounds;
  std::uint64_t hold_events, rpcs, passes;
  std::string operations;  ///< of the measured phase of the memory runs
  unsigned quiet_ms;       ///< simulated, with every idle pass run
  std::uint64_t hosts_operations;
};

Lengths lengths(bool quick) {
  if (quick) return {3, 20'000, 20'000, 20'000, "2000", 20, 50'000};
  return {9, 300'000, 400'000, 400'000, "100000", 200, 500'000};
}

Spread exactly(double value) {
  return {value, value, value};
}

void add_peak_memory(std::vector<Row>& rows, const Lengths& lengths, const Catalogue& catalogue) {
  for (const char* sharing : {"0.2", "1.0"}) {
    const auto scenario = load_scenario(find_scenario_file(kMicroScenario), catalogue,
                                        {fmt::format("workload.sharing_ratio={}", sharing), "run.warmup=\"10us\"",
                                         fmt::format("run.measure={{\"operations\":{}}}", lengths.operations)});
    const auto bytes = peak_memory_of(scenario);
    rows.push_back({fmt::format("memory.micro.sharing_{}", sharing), "MiB",
                    exactly(static_cast<double>(bytes) / (1024 * 1024)), kMemoryAim, false});
    const double estimate = static_cast<double>(machine_needs(scenario).bytes());
    rows.push_back({fmt::format("memory.estimate.sharing_{}", sharing), "ratio",
                    exactly(static_cast<double>(bytes) / estimate), kNeedsFactor, false});
  }
}

void add_memory_estimates(std::vector<Row>& rows, const Lengths& lengths, const Catalogue& catalogue) {
  for (const MemoryEstimate& run : memory_estimates(lengths.operations, catalogue)) {
    rows.push_back({fmt::format("memory.estimate.{}", run.run), "ratio",
                    exactly(static_cast<double>(run.peak) / static_cast<double>(run.estimate)), kNeedsFactor, false});
  }
}

void add_echo(std::vector<Row>& rows, const Lengths& lengths, const Catalogue& catalogue) {
  static const std::map<std::string, double> aims{{"simgrid_s4u", 25}, {"simgrid_s4u_fatpipe", 40}, {"ns3", 100}};
  const auto echo = run_rpc_echo(lengths.rpcs, lengths.rounds, catalogue);
  rows.push_back({"echo.racksim", "RPC/s", echo.racksim, {}});
  for (const auto& other : echo.others) {
    const auto aim = aims.find(other.name);
    rows.push_back({"echo." + other.name, "RPC/s", other.rate, {}});
    rows.push_back({"echo.over_" + other.name, "ratio", other.below,
                    aim != aims.end() ? std::optional(aim->second) : std::nullopt});
  }
  rows.push_back({"echo.events_per_rpc", "events", exactly(echo.events_per_rpc), kEventsAim, false});
}

// Without sharing, and with all lines of a node at home, GAM sends none.
void add_messages(std::vector<Row>& rows, const Lengths& lengths, const Catalogue& catalogue) {
  const auto file = find_scenario_file(kGamScenario);
  const auto operations = fmt::format("run.measure={{\"operations\":{}}}", lengths.operations);
  const double events = events_per_message(
      load_scenario(file, catalogue, {operations}),
      load_scenario(file, catalogue, {operations, "workload.remote_ratio=0", "workload.sharing_ratio=0"}),
      "gam.messages.handled");
  rows.push_back({"gam.events_per_message", "events", exactly(events), kMessageAim, false});
}

void add_hold_model(std::vector<Row>& rows, const Lengths& lengths) {
  for (const std::uint64_t pending : {64u, 1'000u, 100'000u, 1'000'000u}) {
    const auto hold = run_hold_model(pending, lengths.hold_events, lengths.rounds);
    const auto name = [&](const char* what) { return fmt::format("hold.{}.{}", pending, what); };
    rows.push_back({name("calendar"), "events/s", hold.calendar, {}});
    rows.push_back({name("priority_queue"), "events/s", hold.priority_queue, {}});
    rows.push_back({name("multiset"), "events/s", hold.multiset, {}});
    rows.push_back({name("over_priority_queue"), "ratio", hold.over_priority_queue, {}});
    rows.push_back({name("over_multiset"), "ratio", hold.over_multiset, kMultisetAim});
  }
}

void add_lcf_passes(std::vector<Row>& rows, const Lengths& lengths) {
  const auto lcf = run_lcf_passes(lengths.passes, lengths.rounds);
  rows.push_back({"lcf.fused", "passes/s", lcf.fused, {}});
  rows.push_back({"lcf.stepped", "passes/s", lcf.stepped, {}});
  rows.push_back({"lcf.fused_over_stepped", "ratio", lcf.fused_over_stepped, {}});
}

void add_idle_passes(std::vector<Row>& rows, const Lengths& lengths, const Catalogue& catalogue) {
  const auto idle = run_idle_passes(lengths.quiet_ms, lengths.rounds, catalogue);
  rows.push_back({"idle_passes.skipped", "s/s", idle.skipped, {}});
  rows.push_back({"idle_passes.run", "s/s", idle.run, {}});
  rows.push_back({"idle_passes.skipped_over_run", "ratio", idle.skipped_over_run, kIdleAim});
}

void add_hosts(std::vector<Row>& rows, const Lengths& lengths, const Catalogue& catalogue) {
  const auto hosts = run_hosts(lengths.hosts_operations, lengths.rounds, catalogue);
  rows.push_back({"hosts.16", "events/s", hosts.few, {}});
  rows.push_back({"hosts.1024", "events/s", hosts.many, {}});
  rows.push_back({"hosts.rate_kept", "ratio", hosts.kept, kHostsAim});
}

std::string number(double value) {
  return value >= 1e5 ? fmt::format("{:.2f} M", value / 1e6) : fmt::format("{:.4g}", value);
}

std::string line(const Row& row) {
  const bool spread = row.value.low != row.value.high;
  const auto range = spread ? fmt::format("{} .. {}", number(row.value.low), number(row.value.high)) : "";
  const auto aim =
      row.aim ? fmt::format("{} {:g}: {}", row.at_least ? ">=" : "<=", *row.aim, row.met() ? "met" : "missed") : "";
  const auto text =
      fmt::format("{:<32}{:>10} {:<9} {:<24} {}", row.name, number(row.value.median), row.unit, range, aim);
  return text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
}

JsonValue json(const Row& row) {
  auto value = JsonValue::object({{"name", row.name}, {"unit", row.unit}});
  value.set("median", row.value.median);
  value.set("low", row.value.low);
  value.set("high", row.value.high);
  if (row.aim) {
    value.set(row.at_least ? "at_least" : "at_most", *row.aim);
    value.set("met", row.met());
  }
  return value;
}

int bench(const BenchOptions& options, CommandContext& context) {
  context.out.flush();  // children must not inherit text that waits to be written
  const auto size = lengths(options.quick);
  std::vector<Row> rows;
  // Memory comes first: a child begins with the memory of its parent.
  const std::array<std::function<void()>, 8> parts{[&] { add_peak_memory(rows, size, context.catalogue); },
                                                   [&] { add_memory_estimates(rows, size, context.catalogue); },
                                                   [&] { add_echo(rows, size, context.catalogue); },
                                                   [&] { add_messages(rows, size, context.catalogue); },
                                                   [&] { add_hold_model(rows, size); },
                                                   [&] { add_lcf_passes(rows, size); },
                                                   [&] { add_idle_passes(rows, size, context.catalogue); },
                                                   [&] { add_hosts(rows, size, context.catalogue); }};
  bool stopped = false;
  for (auto part = parts.begin(); part != parts.end() && !stopped; ++part) {
    try {
      (*part)();
    } catch (const Interrupted&) {
      stopped = true;  // what was measured by then is worth telling
    }
  }
  if (stopped) context.err << fmt::format("racksim: interrupted: {} numbers were measured\n", rows.size());
  const int status = stopped ? exit_interrupted : exit_ok;
  if (options.json) {
    auto results = JsonValue::array();
    for (const auto& row : rows) results.push(json(row));
    auto document = JsonValue::object({{"quick", options.quick},
                                       {"rounds", size.rounds},
                                       {"provenance", provenance_json()},
                                       {"results", std::move(results)},
                                       {"interrupted", stopped}});
    context.out << to_json(document);
    return status;
  }
  context.out << fmt::format("{:<32}{:>10} {:<9} {:<24} {}\n", "", "median", "", "of rounds", "aim");
  for (const auto& row : rows) context.out << line(row);
  return status;
}

const InstructionRow& row_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& row : instruction_rows()) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw InputError("racksim bench", "command line", quote(name), one_of(names), nearest_name(name, names));
}

int work_alone(const BenchOptions& options, CommandContext& context) {
  const auto& row = row_named(options.alone);
  if (!row.work) {
    throw InputError("racksim bench", "command line", quote(row.name),
                     fmt::format("a row that is no command of its own: run racksim {}", fmt::join(row.command, " ")));
  }
  const auto length = options.length != 0 ? options.length : row.lengths.back();
  context.out << fmt::format("{}\n", row.work(length, context.catalogue));
  return exit_ok;
}

/// Parts in which a row does nothing are left out.
bool counts(double instructions) {
  return instructions >= 0.5;
}

JsonValue parts_json(const CountedRow& row) {
  auto parts = JsonValue::object();
  for (std::size_t part = 0; part < kParts; ++part) {
    if (counts(row.parts[part])) parts.set(to_string(static_cast<Part>(part)), row.parts[part]);
  }
  return parts;
}

std::string parts_text(const CountedRow& row) {
  std::string text;
  for (std::size_t part = 0; part < kParts; ++part) {
    if (!counts(row.parts[part])) continue;
    text += fmt::format("  {:<26}{:>14.0f}{:>6.1f} %\n", to_string(static_cast<Part>(part)), row.parts[part],
                        100 * row.parts[part] / row.instructions);
  }
  return text;
}

int instructions(const BenchOptions& options, CommandContext& context) {
  for (const auto& name : options.rows) row_named(name);
  const JsonValue on_record = options.against.empty() ? JsonValue::object() : read_json_file(options.against);
  context.out.flush();
  const auto rows = count_instructions(options.rows);
  if (options.json) {
    auto results = JsonValue::array();
    for (const auto& row : rows) {
      auto result = JsonValue::object({{"name", row.name}, {"unit", row.unit}, {"instructions", row.instructions}});
      if (row.aim) result.set({{"at_most", *row.aim}, {"met", row.instructions <= *row.aim}});
      if (options.parts) result.set("parts", parts_json(row));
      results.push(std::move(result));
    }
    context.out << to_json(JsonValue::object({{"provenance", provenance_json()}, {"results", std::move(results)}}));
  } else {
    context.out << fmt::format("{:<28}{:>14}  {:<12} {}\n", "", "instructions", "a", "aim");
    for (const auto& row : rows) {
      const auto aim =
          row.aim ? fmt::format("<= {:g}: {}", *row.aim, row.instructions <= *row.aim ? "met" : "missed") : "";
      const auto number =
          row.unit == "times" ? fmt::format("{:.2f}", row.instructions) : fmt::format("{:.0f}", row.instructions);
      const auto text = fmt::format("{:<28}{:>14}  {:<12} {}", row.name, number, row.unit, aim);
      context.out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
      if (options.parts) context.out << parts_text(row);
    }
  }
  if (!options.record.empty()) {
    std::error_code error;
    const bool known = std::filesystem::exists(options.record, error);
    write_file(options.record,
               to_json(renewed_record(known ? read_json_file(options.record) : JsonValue::object(), rows)), "bench",
               "record");
  }
  if (options.against.empty()) return exit_ok;
  const auto against = against_record(rows, on_record);
  for (const auto* lines : {&against.slower, &against.unknown, &against.faster}) {
    for (const auto& line : *lines) context.err << "racksim: " << line << '\n';
  }
  if (!against.faster.empty()) context.err << "racksim: faster than on record: renew it (--record)\n";
  return against.slower.empty() && against.unknown.empty() ? exit_ok : exit_failed;
}

void add_bench(CommandContext& context) {
  auto* command = context.app.add_subcommand("bench", "Measure the simulator's speed and memory on this machine");
  const auto options = std::make_shared<BenchOptions>();
  command->add_flag("--quick", options->quick, "Short rounds: a few seconds, and rougher numbers");
  command->add_flag("--json", options->json, "Print the numbers as JSON, alone on standard output");
  auto* counted = command->add_flag("--instructions", options->instructions,
                                    "Count instructions under callgrind instead: the same on every machine");
  command->add_option("--row", options->rows, "Count these rows alone")->needs(counted);
  command->add_flag("--parts", options->parts, "And say which parts of the simulator the instructions belong to")
      ->needs(counted);
  command->add_option("--against", options->against, "Fail on a row with 3 % more instructions than in this file")
      ->needs(counted);
  command->add_option("--record", options->record, "Write the counts of these rows into this file")->needs(counted);
  auto* alone =
      command->add_option("--alone", options->alone, "Do the work of this row and nothing else, for a profiler")
          ->excludes(counted);
  command->add_option("--length", options->length, "How much of it (default: the longer that is counted)")
      ->needs(alone);
  command->callback([&context, options] {
    context.action = [&context, options] {
      if (options->instructions) return instructions(*options, context);
      return options->alone.empty() ? bench(*options, context) : work_alone(*options, context);
    };
  });
}

const sim::Registration<CommandEntry> bench_command({.name = "bench", .add = add_bench});

}  // namespace

}  // namespace racksim::tools
