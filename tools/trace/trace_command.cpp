// racksim trace info FILE, racksim trace convert FILE OUT: what is in a trace, and the same trace in another form.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_opening.hpp"
#include "sim/options/parameters.hpp"
#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/trace/trace_conversion.hpp"
#include "tools/trace/trace_summary.hpp"

namespace racksim::tools {
namespace {

using models::TraceFormat;
using models::TraceKeying;

struct TraceArguments {
  std::string file, out, columns;
  TraceFormat format = TraceFormat::automatic;
  ConversionOptions conversion;
  bool json = false;
};

/// Does something with a trace, whose errors name the file and the place in it.
template <class Work>
auto with_trace(const TraceArguments& arguments, const Work& work) {
  try {
    const auto reader = models::open_trace(arguments.file, arguments.format, arguments.columns);
    note_input(arguments.file);
    return work(*reader);
  } catch (const models::TraceError& error) {
    throw InputError(error.file(), error.place().empty() ? "the whole" : error.place(), error.there(),
                     error.expected());
  } catch (const sim::OptionError& error) {
    throw InputError("racksim trace", "--" + error.option(), error.found(), error.expected());
  }
}

int info(const TraceArguments& arguments, CommandContext& context) {
  const TraceSummary summary = with_trace(arguments, [](models::TraceReader& reader) { return trace_summary(reader); });
  context.out << (arguments.json ? to_json(trace_summary_json(summary)) : trace_summary_text(summary));
  return exit_ok;
}

int convert(const TraceArguments& arguments, CommandContext& context) {
  const std::uint64_t records = with_trace(arguments, [&](models::TraceReader& reader) {
    return convert_trace(reader, arguments.out, arguments.conversion);
  });
  context.err << fmt::format("{} records in {}\n", records, arguments.out);  // the trace itself may go to the output
  return exit_ok;
}

/// An option with one of several names.
template <class Enum>
void add_choice(CLI::App& command, const std::string& option, Enum& target,
                const std::vector<std::pair<std::string, Enum>>& names, const std::string& doc) {
  const auto take = [&target, names, option](const std::string& text) {
    std::vector<std::string> known;
    for (const auto& [name, value] : names) {
      if (name == text) {
        target = value;
        return;
      }
      known.push_back(name);
    }
    throw InputError("racksim trace", option, quote(text), one_of(known), nearest_name(text, known));
  };
  std::string all;
  for (const auto& [name, value] : names) all += (all.empty() ? "" : ", ") + name;
  command.add_option_function<std::string>(option, take, fmt::format("{}: {}", doc, all))->type_name("NAME");
}

void add_file(CLI::App& command, TraceArguments& arguments) {
  command.add_option("FILE", arguments.file, "A trace: a file or a pipe")->required();
  std::vector<std::pair<std::string, TraceFormat>> formats;
  for (const TraceFormat format :
       {TraceFormat::automatic, TraceFormat::csv, TraceFormat::binary, TraceFormat::columns, TraceFormat::twitter,
        TraceFormat::cachelib, TraceFormat::ycsb, TraceFormat::oracle_general}) {
    formats.emplace_back(to_string(format), format);
  }
  add_choice(command, "--format", arguments.format, formats, "Its form");
  command.add_option("--columns", arguments.columns,
                     "Of the format columns: which column is what, as \"time_us=ts op=verb key=id size=bytes\"");
}

void add_trace(CommandContext& context) {
  auto* command = context.app.add_subcommand("trace", "Look into a trace, or write it in another form");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<TraceArguments>();
  auto* information = command->add_subcommand("info", "Print what is in a trace");
  add_file(*information, *arguments);
  information->add_flag("--json", arguments->json, "Print it as JSON");
  information->callback(
      [&context, arguments] { context.action = [&context, arguments] { return info(*arguments, context); }; });

  auto* conversion = command->add_subcommand("convert", "Write a trace as CSV, or as records of 32 bytes");
  add_file(*conversion, *arguments);
  conversion->add_option("OUT", arguments->out, "The file to write: records if its name ends in .bin, else CSV")
      ->required();
  add_choice<TraceKeying>(
      *conversion, "--keys", arguments->conversion.keys,
      {{"given", TraceKeying::given}, {"hashed", TraceKeying::hashed}, {"numbered", TraceKeying::numbered}},
      "The numbers of the keys");
  constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 47;
  add_number(*conversion, "--key-space", arguments->conversion.key_space,
             "Hashed or numbered keys are below this (default: 10000000)", {1, kMostKeys});
  add_number(*conversion, "--nodes", arguments->conversion.nodes,
             "Deal records that have no session out to so many nodes, by client or in turn (default: 1)", {1, 1024});
  add_number(*conversion, "--threads", arguments->conversion.threads, "And to so many threads on each (default: 1)",
             {1, 64});
  conversion->callback(
      [&context, arguments] { context.action = [&context, arguments] { return convert(*arguments, context); }; });
}

const sim::Registration<CommandEntry> trace_command({.name = "trace", .add = add_trace});

}  // namespace

}  // namespace racksim::tools
