// racksim schema: the JSON Schema of scenario files, for editors.
#include <CLI/CLI.hpp>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

namespace {

void add_schema(CommandContext& context) {
  auto* command = context.app.add_subcommand("schema", "Print the JSON Schema of scenario files");
  command->callback([&context] {
    context.action = [&context] {
      context.out << to_json(scenario_schema(context.catalogue));
      return exit_ok;
    };
  });
}

const sim::Registration<CommandEntry> schema_command({.name = "schema", .add = add_schema});

}  // namespace

}  // namespace racksim::tools
