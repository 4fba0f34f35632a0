// racksim list KIND: what this build offers, one line each but for testbeds and claims.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "sim/exploration/model.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/commands/testbed_list.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/mechanisms.hpp"
#include "tools/scenario/scenario.hpp"
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

/// A string member of a file, or nothing: a listing shows what is there, and `validate` finds what is wrong with it.
std::string member_of_file(const std::string& file, const char* key) {
  try {
    const auto document = read_json_file(file);
    const auto* value = document.find(key);
    return value && value->string() ? *value->string() : "";
  } catch (const InputError&) {
    return "(unreadable)";
  }
}

std::vector<std::string> cases_of_file(const std::string& file) {
  try {
    return case_names(read_json_file(file));
  } catch (const InputError&) {
    return {};
  }
}

Entries figure_files() {
  Entries entries;
  const auto folder = scenarios_folder() / "figures";
  for (const auto& name : json_names_below(folder)) {
    entries.push_back({name, member_of_file((folder / (name + ".json")).string(), "title")});
  }
  return entries;
}

/// All scenarios, as `run` takes them; the folders of other kinds of files are left out.
Entries scenario_files() {
  Entries entries;
  for (const auto& name : json_names_below(scenarios_folder())) {
    const bool other = name.starts_with("testbeds/") || name.starts_with("figures/") || name.starts_with("schema/") ||
                       name.starts_with("claims/") || name.starts_with("switch/");
    if (other || name.find("baselines/") != std::string::npos) continue;
    const auto path = "scenarios/" + name + ".json";
    const auto file = (scenarios_folder().parent_path() / path).string();
    const auto cases = cases_of_file(file);
    if (cases.empty()) entries.push_back({path, member_of_file(file, "name")});
    for (const auto& each : cases) {
      entries.push_back({path + "/" + each, std::filesystem::path(file).stem().string() + "/" + each});
    }
  }
  return entries;
}

Entries entries_of(const std::string& kind, const Catalogue& catalogue) {
  if (kind == "protocols") return named(catalogue.protocols);
  if (kind == "workloads") return named(catalogue.workloads);
  if (kind == "faults") return named(catalogue.faults);
  if (kind == "oracles") return named(catalogue.oracles);
  if (kind == "programs") return catalogue.programs;
  if (kind == "models") return named(sim::explorations());
  if (kind == "figures") return figure_files();
  if (kind == "scenarios") return scenario_files();
  const std::vector<std::string> kinds{"protocols", "workloads", "faults",  "oracles", "programs",  "models",
                                       "testbeds",  "scenarios", "figures", "claims",  "mechanisms"};
  throw InputError("racksim list", "command line", quote(kind), one_of(kinds), nearest_name(kind, kinds));
}

struct ListOptions {
  std::string kind;
  std::string protocol;  ///< with mechanisms: of this one alone
  bool json = false;
};

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
    lines.push_back({protocol + '.' + option, value, std::string(breaks), std::string(regression)});
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

int list_mechanisms(const ListOptions& options, CommandContext& context) {
  const auto names = names_of(context.catalogue.protocols);
  if (!options.protocol.empty() && !find_entry(context.catalogue.protocols, options.protocol)) {
    throw InputError("racksim list", "command line", quote(options.protocol), one_of(names),
                     nearest_name(options.protocol, names));
  }
  const auto found = mechanisms(context.catalogue, options.protocol);
  context.out << (options.json ? to_json(json_of(found)) : text_of(found));
  return exit_ok;
}

int list(const ListOptions& options, CommandContext& context) {
  if (options.kind == "mechanisms") return list_mechanisms(options, context);
  if (!options.protocol.empty()) {
    throw InputError("racksim list", "command line", quote(options.protocol), "nothing behind " + quote(options.kind));
  }
  if (options.kind == "claims") {
    const auto claims = load_paper_claims(scenarios_folder());
    context.out << (options.json ? to_json(paper_claims_json(claims)) : paper_claims_text(claims));
  } else if (options.kind == "testbeds") {
    const auto testbeds = listed_testbeds(context.catalogue);
    context.out << (options.json ? to_json(testbeds_json(testbeds)) : testbeds_text(testbeds));
  } else {
    const auto entries = entries_of(options.kind, context.catalogue);
    context.out << (options.json ? to_json(json_of(entries)) : text_of(entries));
  }
  return exit_ok;
}

void add_list(CommandContext& context) {
  auto* command = context.app.add_subcommand("list", "List what this build offers");
  const auto options = std::make_shared<ListOptions>();
  command
      ->add_option("KIND", options->kind,
                   "protocols, workloads, faults, oracles, programs, models, testbeds, scenarios, figures, claims or "
                   "mechanisms")
      ->required();
  command->add_option("PROTOCOL", options->protocol, "With mechanisms: those of this protocol alone");
  command->add_flag("--json", options->json, "Print the list as JSON");
  command->callback([&context, options] { context.action = [&context, options] { return list(*options, context); }; });
}

const sim::Registration<CommandEntry> list_command({.name = "list", .add = add_list});

}  // namespace

}  // namespace racksim::tools
