// racksim expand FILE: prints a scenario, figure or testbed with all that it builds on put into it.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/kinds/file_kinds.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/overrides.hpp"

namespace racksim::tools {
namespace {

struct ExpandOptions {
  std::string file;
  std::vector<std::string> overrides;
};

int expand(const ExpandOptions& options, CommandContext& context) {
  const Composition composition(find_scenario_file(options.file));
  check_file(composition.path(), options.overrides, context.catalogue);
  JsonValue document = composition.document();
  for (const auto& text : options.overrides) {
    apply_override(document, parse_override(text));
    expand_rack(document);
  }
  pin_files(document, composition.path());
  context.out << to_json(document);
  return exit_ok;
}

void add_expand(CommandContext& context) {
  auto* command = context.app.add_subcommand("expand", "Print a file with all that it builds on put into it");
  const auto options = std::make_shared<ExpandOptions>();
  add_scenario(*command, "FILE", options->file, "Scenario, figure or testbed file");
  command->add_option("--set", options->overrides, "Replace a value: path=value")->expected(1)->take_all();
  command->callback(
      [&context, options] { context.action = [&context, options] { return expand(*options, context); }; });
}

const sim::Registration<CommandEntry> expand_command({.name = "expand", .add = add_expand});

}  // namespace

}  // namespace racksim::tools
