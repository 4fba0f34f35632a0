// racksim validate FILE...: reads scenarios, testbeds, figures and claims as a run would, and says what is wrong with
// each.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/figure/figure.hpp"
#include "tools/figure/paper_claims.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
};

/// A kind of file, and members by which it is known.
struct FileKind {
  const char* name;
  std::vector<std::string> members;
};

/// The groups of constants that a rack has: "nic", "switch", "link".
std::vector<std::string> rack_members(const Catalogue& catalogue) {
  sim::Parameters parameters;
  const auto options = catalogue.rack.make(parameters);
  std::vector<std::string> names;
  for (const auto& parameter : parameters.all()) {
    auto name = parameter.name.substr(0, parameter.name.find('.'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

/// The kind of which the document has most members. One that has none of any is read, and refused, as a scenario.
std::string kind_of(const JsonValue& document, const Catalogue& catalogue) {
  const FileKind kinds[] = {
      {"scenario", {"rack", "protocol", "workload", "run", "faults", "check", "observe", "expect"}},
      {"figure", {"base", "sweep", "series", "claims", "calibrated", "not_modelled"}},
      {"list of claims", {"title", "claims"}},
      {"record of claims", {"figure", "claims", "run_hashes"}},
      {"testbed", rack_members(catalogue)}};
  const auto shared = [&](const FileKind& kind) {
    return std::count_if(kind.members.begin(), kind.members.end(),
                         [&](const auto& member) { return document.find(member) != nullptr; });
  };
  return std::max_element(std::begin(kinds), std::end(kinds),
                          [&](const FileKind& a, const FileKind& b) { return shared(a) < shared(b); })
      ->name;
}

/// Reads the file as what it holds, wherever it lies; gives its kind.
std::string validate(const std::string& path, const ValidateOptions& options, const Catalogue& catalogue) {
  const auto file = find_scenario_file(path);
  auto document = read_json_file(file);
  auto kind = kind_of(document, catalogue);
  if (kind == "testbed") {
    read_testbed(document, file, catalogue);
  } else if (kind == "figure") {
    for (const bool quick : {false, true}) read_figure(document, file, catalogue, quick);
  } else if (kind == "list of claims") {
    read_paper_claims(file, scenarios_folder());
  } else if (kind == "record of claims") {
    read_figure_record(file);
  } else {
    read_scenario(std::move(document), file, catalogue, options.overrides);
  }
  return kind;
}

int validate_all(const ValidateOptions& options, CommandContext& context) {
  int status = exit_ok;
  for (const auto& path : options.files) {
    try {
      const auto kind = validate(path, options, context.catalogue);
      context.out << path << ": valid " << kind << '\n';
    } catch (const InputError& error) {
      context.err << error.what() << '\n';
      status = exit_bad_input;
    }
  }
  return status;
}

void add_validate(CommandContext& context) {
  auto* command = context.app.add_subcommand(
      "validate", "Check scenarios, testbeds, figures and lists of claims without running them");
  const auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->files, "Files to check")->required();
  command->add_option("--set", options->overrides, "Replace a value first: path=value")->expected(1)->take_all();
  command->callback(
      [&context, options] { context.action = [&context, options] { return validate_all(*options, context); }; });
}

const sim::Registration<CommandEntry> validate_command({.name = "validate", .add = add_validate});

}  // namespace

}  // namespace racksim::tools
