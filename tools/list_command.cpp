// racksim list KIND: what this build offers, one line each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "tools/command_line.hpp"
#include "tools/data_files.hpp"
#include "tools/input_error.hpp"
#include "tools/nearest_name.hpp"
#include "tools/scenario.hpp"

namespace racksim::tools {
namespace {

using Entries = std::vector<NamedEntry>;

Entries named(const std::vector<OptionsEntry>& entries) {
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

Entries files_below(const char* folder, const char* doc_key) {
  Entries entries;
  for (const auto& name : json_names_below(scenarios_folder() / folder)) {
    entries.push_back({name, member_of_file((scenarios_folder() / folder / (name + ".json")).string(), doc_key)});
  }
  return entries;
}

/// All scenarios, as `run` takes them; the folders of other kinds of files are left out.
Entries scenario_files() {
  Entries entries;
  for (const auto& name : json_names_below(scenarios_folder())) {
    const bool other = name.starts_with("testbeds/") || name.starts_with("figures/") || name.starts_with("schema/");
    if (other || name.find("baselines/") != std::string::npos) continue;
    const auto path = "scenarios/" + name + ".json";
    entries.push_back({path, member_of_file((scenarios_folder().parent_path() / path).string(), "name")});
  }
  return entries;
}

Entries entries_of(const std::string& kind, const Catalogue& catalogue) {
  if (kind == "protocols") return named(catalogue.protocols);
  if (kind == "workloads") return named(catalogue.workloads);
  if (kind == "faults") return named(catalogue.faults);
  if (kind == "oracles") return {catalogue.oracles.begin(), catalogue.oracles.end()};
  if (kind == "programs") return catalogue.programs;
  if (kind == "testbeds") return files_below("testbeds", "doc");
  if (kind == "figures") return files_below("figures", "title");
  if (kind == "scenarios") return scenario_files();
  const std::vector<std::string> kinds{"protocols", "workloads", "faults",    "oracles",
                                       "programs",  "testbeds",  "scenarios", "figures"};
  throw InputError("racksim list", "command line", quote(kind), one_of(kinds), nearest_name(kind, kinds));
}

int list(const std::string& kind, CommandContext& context) {
  const auto entries = entries_of(kind, context.catalogue);
  std::size_t width = 0;
  for (const auto& entry : entries) width = std::max(width, entry.name.size());
  for (const auto& entry : entries) {
    auto line = fmt::format("{:<{}}  {}", entry.name, width, entry.doc);
    line.erase(line.find_last_not_of(' ') + 1);
    context.out << line << '\n';
  }
  return exit_ok;
}

}  // namespace

void add_list_command(CommandContext& context) {
  auto* command = context.app.add_subcommand("list", "List what this build offers");
  const auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "protocols, workloads, faults, oracles, programs, testbeds, scenarios or figures")
      ->required();
  command->callback([&context, kind] { context.action = [&context, kind] { return list(*kind, context); }; });
}

}  // namespace racksim::tools
