// racksim table PROTOCOL: prints the transition tables that a protocol executes, or what its operations cost.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "models/service/protocol.hpp"
#include "sim/record/trace.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/json/input_error.hpp"
#include "tools/text/columns.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

using models::TableDescription;
using RowKind = TableDescription::RowKind;
using Cells = std::vector<std::string>;

const Cells kHeadings{"row", "states", "events", "guard", "actions", "next state", "section"};

std::string listed(const std::vector<std::size_t>& numbers, const std::vector<std::string>& names) {
  Cells chosen;
  for (const std::size_t number : numbers) chosen.push_back(names[number]);
  return fmt::format("{}", fmt::join(chosen, ", "));
}

std::string next_of(const TableDescription& table, const TableDescription::Row& row) {
  if (row.kind == RowKind::ignored) return "(ignored)";
  if (row.kind == RowKind::impossible) return "(impossible)";
  return row.next ? table.states[*row.next] : "(stays)";
}

/// A row under kHeadings.
Cells cells_of(const TableDescription& table, const TableDescription::Row& row) {
  return {row.name,
          listed(row.states, table.states),
          listed(row.events, table.events),
          row.guard,
          fmt::format("{}", fmt::join(row.actions, ", ")),
          next_of(table, row),
          row.section};
}

/// The pairs of a kind that need no row, with their reasons; nothing if there are none.
std::string reasons_of(const TableDescription& table, RowKind kind, const char* heading) {
  std::string text;
  for (const TableDescription::Row& row : table.rows) {
    if (row.kind != kind) continue;
    text +=
        fmt::format("  {} / {}: {}\n", listed(row.states, table.states), listed(row.events, table.events), row.name);
  }
  return text.empty() ? "" : fmt::format("\n{}\n{}", heading, text);
}

std::string text_of(const TableDescription& table) {
  std::vector<Cells> lines{kHeadings};
  for (const TableDescription::Row& row : table.rows) {
    if (row.kind == RowKind::transition) lines.push_back(cells_of(table, row));
  }
  return fmt::format("{}: {}; begins in the state '{}'\n\n", table.name, table.doc, table.states[table.initial]) +
         in_columns(lines) + reasons_of(table, RowKind::ignored, "ignored") +
         reasons_of(table, RowKind::impossible, "impossible");
}

std::string markdown_of(const TableDescription& table) {
  const auto line = [](const Cells& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); };
  std::string text =
      fmt::format("## {}\n\n{}; begins in the state *{}*.\n\n", table.name, table.doc, table.states[table.initial]);
  text += line(kHeadings) + line(Cells(kHeadings.size(), "---"));
  for (const TableDescription::Row& row : table.rows) text += line(cells_of(table, row));
  return text;
}

/// What cannot happen is not drawn.
std::string dot_of(const TableDescription& table) {
  std::string text = fmt::format("digraph {} {{\n  node [shape=box, style=rounded];\n  begin [shape=point];\n",
                                 sim::json_quoted(table.name));
  for (std::size_t state = 0; state < table.states.size(); ++state) {
    text += fmt::format("  s{} [label={}];\n", state, sim::json_quoted(table.states[state]));
  }
  text += fmt::format("  begin -> s{};\n", table.initial);
  for (const TableDescription::Row& row : table.rows) {
    if (row.kind == RowKind::impossible) continue;
    std::string label = listed(row.events, table.events);
    if (!row.guard.empty()) label += fmt::format(" [{}]", row.guard);
    label += ": " + row.name;
    if (!row.section.empty()) label += fmt::format(" ({})", row.section);
    for (const std::size_t state : row.states) {
      text += fmt::format("  s{} -> s{} [label={}{}];\n", state, row.next.value_or(state), sim::json_quoted(label),
                          row.kind == RowKind::ignored ? ", style=dashed" : "");
    }
  }
  return text + "}\n";
}

/// "at least 1 x".
std::string bound_of(const models::CostRow& row) {
  if (row.most == models::CostRow::kAny) return fmt::format("at least {} x", row.least);
  return row.least == row.most ? fmt::format("{} x", row.least) : fmt::format("{} to {} x", row.least, row.most);
}

/// Which operations a row is of.
std::string of_whom(const models::CostRow& row) {
  if (row.of.empty()) return row.of_each ? "of each operation" : "of all together";
  return row.of_each ? "of each of the " + row.of
                     : fmt::format("of all {} together, if there are {}", row.of, models::CostRow::kMany);
}

std::string costs_text(const models::CostTable& table) {
  std::string text = fmt::format("messages: {}\n", fmt::join(table.messages, ", "));
  for (const models::CostRow& row : table.rows) {
    text += fmt::format("\n{} ({}; {})\n  {}\n  = {} ({})\n", row.what, row.section, of_whom(row), row.cost,
                        bound_of(row), row.per);
  }
  return text;
}

std::string costs_markdown(const models::CostTable& table) {
  std::string text = "| what | cost | = | per | of whom | section |\n|---|---|---|---|---|---|\n";
  for (const models::CostRow& row : table.rows) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.what, row.cost, bound_of(row), row.per, of_whom(row),
                        row.section);
  }
  return text;
}

struct Format {
  const char* name;
  std::string (*print)(const TableDescription&);
};
constexpr Format kFormats[] = {{"text", text_of}, {"markdown", markdown_of}, {"dot", dot_of}};

struct TableOptions {
  std::string protocol;
  std::string format = kFormats[0].name;
  bool costs = false;
};

const Format& format_of(const TableOptions& options) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (options.format == format.name) return format;
    names.emplace_back(format.name);
  }
  throw InputError("racksim table", "--format", quote(options.format), one_of(names),
                   nearest_name(options.format, names));
}

const models::ProtocolEntry& protocol_of(const TableOptions& options) {
  std::vector<std::string> names;
  std::string found = quote(options.protocol);
  for (const auto& entry : models::protocols()) {
    if (!entry.tables.empty()) {
      if (entry.name == options.protocol) return entry;
      names.push_back(entry.name);
    } else if (entry.name == options.protocol) {
      found += ", which has no transition table";
    }
  }
  throw InputError("racksim table", "command line", found, one_of(names), nearest_name(options.protocol, names));
}

/// With the protocol's defaults, on a rack of as many nodes as one has by default.
int print_costs(const TableOptions& options, CommandContext& context) {
  const Format& format = format_of(options);
  if (format.print == dot_of) {
    throw InputError("racksim table", "--format", quote(format.name), "text or markdown: costs are no graph");
  }
  std::vector<std::string> names;
  for (const auto& entry : models::protocols()) {
    const models::RackOptions rack;
    const models::CostTable table = entry.make_options()->costs(rack);
    if (table.rows.empty()) continue;
    if (entry.name != options.protocol) {
      names.push_back(entry.name);
      continue;
    }
    context.out << fmt::format("{}, on perfect wires, with its defaults on {} nodes\n\n", entry.name, rack.nodes)
                << (format.print == markdown_of ? costs_markdown(table) : costs_text(table));
    return exit_ok;
  }
  throw InputError("racksim table", "command line", quote(options.protocol), one_of(names),
                   nearest_name(options.protocol, names));
}

int print_tables(const TableOptions& options, CommandContext& context) {
  if (options.costs) return print_costs(options, context);
  const Format& format = format_of(options);
  const auto& tables = protocol_of(options).tables;
  for (std::size_t i = 0; i < tables.size(); ++i) context.out << (i == 0 ? "" : "\n") << format.print(*tables[i]);
  return exit_ok;
}

void add_table(CommandContext& context) {
  auto* command = context.app.add_subcommand(
      "table", "Print the transition tables that a protocol executes, or what its operations cost in messages");
  const auto options = std::make_shared<TableOptions>();
  command->add_option("PROTOCOL", options->protocol, "One of `racksim list protocols`")->required();
  command->add_option("--format", options->format, "text (default), markdown or dot, for Graphviz");
  command->add_flag("--costs", options->costs, "Print what operations cost, as the oracle `cost` judges it");
  command->callback(
      [&context, options] { context.action = [&context, options] { return print_tables(*options, context); }; });
}

const sim::Registration<CommandEntry> table_command({.name = "table", .add = add_table});

}  // namespace

}  // namespace racksim::tools
