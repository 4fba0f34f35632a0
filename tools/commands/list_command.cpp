// racksim list KIND: what this build offers, one line each but for testbeds and claims.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "models/service/simplification.hpp"
#include "sim/exploration/model.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/experiment/metric_list.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/declared_options.hpp"
#include "tools/scenario/mechanisms.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/shipped_scenarios.hpp"
#include "tools/scenario/testbed_list.hpp"
#include "tools/text/columns.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

using Entries = std::vector<NamedEntry>;

template <class Entry>
Entries named(const std::vector<Entry>& entries) {
  Entries result;
  for (const auto& entry : entries) result.push_back({entry.name, entry.doc});
  return result;
}

Entries figure_files() {
  Entries entries;
  const auto folder = scenarios_folder() / "figures";
  for (const auto& name : json_names_below(folder)) {
    entries.push_back({name, member_of_file((folder / (name + ".json")).string(), "title")});
  }
  return entries;
}

/// Names with a sentence each; null if that is no kind of these.
std::optional<Entries> entries_of(const std::string& kind, const Catalogue& catalogue) {
  if (kind == "protocols") return named(catalogue.protocols);
  if (kind == "workloads") return named(catalogue.workloads);
  if (kind == "faults") return named(catalogue.faults);
  if (kind == "oracles") return named(catalogue.oracles);
  if (kind == "programs") return catalogue.programs;
  if (kind == "models") return named(sim::explorations());
  if (kind == "simplifications") return named(sim::Registry<models::Simplification>::entries());
  if (kind == "figures") return figure_files();
  if (kind == "scenarios") return shipped_scenarios();
  return std::nullopt;
}

struct ListOptions {
  std::string kind;
  std::string of;  ///< with mechanisms, options, constants and metrics: of this alone
  bool json = false;
};

/// A list as it was asked for.
template <class List, class Text, class Json>
void print(const ListOptions& options, CommandContext& context, const List& list, Text text, Json json) {
  context.out << (options.json ? to_json(json(list)) : text(list));
}

/// Refuses what is behind the kind unless it is empty or one of the names.
void require_one_of(const std::string& name, std::vector<std::string> names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  throw InputError("racksim list", "command line", quote(name), one_of(names), nearest_name(name, names));
}

std::string text_of(const Entries& entries) {
  std::vector<std::vector<std::string>> lines;
  for (const auto& entry : entries) lines.push_back({entry.name, entry.doc});
  return in_columns(lines);
}

JsonValue json_of(const Entries& entries) {
  return array_of(entries, [&](const auto& entry) {
    return JsonValue::object({{"name", entry.name}, {"doc", entry.doc}});
  });
}

/// The safety mechanisms of the protocol, or of all.
std::vector<Mechanism> mechanisms(const Catalogue& catalogue, const std::string& protocol) {
  std::vector<Mechanism> all;
  for (const auto& entry : catalogue.protocols) {
    if (!protocol.empty() && entry.name != protocol) continue;
    for (Mechanism& mechanism : mechanisms_of(entry)) all.push_back(std::move(mechanism));
  }
  return all;
}

std::string text_of(const std::vector<Mechanism>& mechanisms) {
  std::vector<std::vector<std::string>> lines{{"option", "unsafe", "what goes wrong", "regression"}};
  for (const auto& [protocol, option, unsafe, breaks, regression] : mechanisms) {
    const std::string value = unsafe.string() ? *unsafe.string() : to_canonical_json(unsafe);
    lines.push_back({fmt::format("{}.{}", protocol, option), value, std::string(breaks), std::string(regression)});
  }
  return in_columns(lines);
}

JsonValue json_of(const std::vector<Mechanism>& mechanisms) {
  JsonValue list = JsonValue::array();
  for (const auto& [protocol, option, unsafe, breaks, regression] : mechanisms) {
    list.push(JsonValue::object({{"protocol", protocol},
                                 {"option", option},
                                 {"unsafe", unsafe},
                                 {"breaks", std::string(breaks)},
                                 {"regression", std::string(regression)}}));
  }
  return list;
}

void list_mechanisms(const ListOptions& options, CommandContext& context) {
  require_one_of(options.of, names_of(context.catalogue.protocols));
  const auto text = [](const auto& found) { return text_of(found); };
  const auto json = [](const auto& found) { return json_of(found); };
  print(options, context, mechanisms(context.catalogue, options.of), text, json);
}

void list_options(const ListOptions& options, CommandContext& context) {
  auto declared = declared_options(context.catalogue);
  std::vector<std::string> owners;
  for (const auto& option : declared) {
    if (owners.empty() || owners.back() != option.owner) owners.push_back(option.owner);
  }
  require_one_of(options.of, owners);
  if (!options.of.empty()) std::erase_if(declared, [&](const auto& option) { return option.owner != options.of; });
  print(options, context, declared, options_text, options_json);
}

void list_constants(const ListOptions& options, CommandContext& context) {
  require_one_of(options.of, testbed_names());
  const auto json = [](const auto& testbeds) { return constants_json(testbeds); };
  print(options, context, shipped_testbeds(context.catalogue, options.of), constants_text, json);
}

/// Of one scenario, or of all that are shipped, or of those of them that run one protocol.
void list_metrics(const ListOptions& options, CommandContext& context) {
  MetricList metrics;
  const bool of_protocol = find_entry(context.catalogue.protocols, options.of) != nullptr;
  if (!options.of.empty() && !of_protocol) {
    add_metrics(metrics, load_scenario(options.of, context.catalogue));
  } else {
    for_each_shipped(context.catalogue, [&](const Scenario& scenario) {
      if (!of_protocol || scenario.protocol.name == options.of) add_metrics(metrics, scenario);
    });
  }
  print(options, context, metrics, metrics_text, metrics_json);
}

void list_claims(const ListOptions& options, CommandContext& context) {
  print(options, context, load_paper_claims(scenarios_folder()), paper_claims_text, paper_claims_json);
}

void list_testbeds(const ListOptions& options, CommandContext& context) {
  print(options, context, listed_testbeds(context.catalogue), testbeds_text, testbeds_json);
}

/// A kind of which there is more to tell than names.
struct Kind {
  const char* name;
  void (*list)(const ListOptions&, CommandContext&);
  bool of_one;  ///< a name behind it asks for a part
};
constexpr Kind kKinds[] = {{"testbeds", list_testbeds, false},    {"claims", list_claims, false},
                           {"mechanisms", list_mechanisms, true}, {"options", list_options, true},
                           {"constants", list_constants, true},   {"metrics", list_metrics, true}};

int list(const ListOptions& options, CommandContext& context) {
  const auto* kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& one) { return options.kind == one.name; });
  const bool of_one = kind != std::end(kKinds) && kind->of_one;
  if (!options.of.empty() && !of_one) {
    throw InputError("racksim list", "command line", quote(options.of), "nothing behind " + quote(options.kind));
  }
  if (kind != std::end(kKinds)) {
    kind->list(options, context);
    return exit_ok;
  }
  const auto entries = entries_of(options.kind, context.catalogue);
  if (!entries) {
    std::vector<std::string> kinds{"protocols", "workloads", "faults",  "oracles",        "programs",
                                   "models",    "scenarios", "figures", "simplifications"};
    for (const Kind& one : kKinds) kinds.emplace_back(one.name);
    throw InputError("racksim list", "command line", quote(options.kind), one_of(kinds),
                     nearest_name(options.kind, kinds));
  }
  context.out << (options.json ? to_json(json_of(*entries)) : text_of(*entries));
  return exit_ok;
}

void add_list(CommandContext& context) {
  auto* command = context.app.add_subcommand("list", "List what this build offers");
  const auto options = std::make_shared<ListOptions>();
  command
      ->add_option("KIND", options->kind,
                   "protocols, workloads, faults, oracles, programs, models, testbeds, scenarios, figures, claims, "
                   "mechanisms, simplifications, options, constants or metrics")
      ->required();
  command->add_option(
      "OF", options->of,
      "With mechanisms: those of this protocol alone; with options: of this protocol, workload, kind of "
      "fault or part of a scenario; with constants: of this testbed; with metrics: of this scenario or protocol");
  command->add_flag("--json", options->json, "Print the list as JSON");
  command->callback([&context, options] { context.action = [&context, options] { return list(*options, context); }; });
}

const sim::Registration<CommandEntry> list_command({.name = "list", .add = add_list});

}  // namespace

}  // namespace racksim::tools
