// racksim schema [KIND]: the JSON Schema of one kind of file, for editors.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/formats/file_schemas.hpp"
#include "tools/json/input_error.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

int print_schema(const std::string& kind, CommandContext& context) {
  const auto names = names_of(file_schemas());
  const auto* schema = find_entry(file_schemas(), kind);
  if (!schema)
    throw InputError("racksim schema", "command line", quote(kind), one_of(names), nearest_name(kind, names));
  context.out << to_folded_json(schema->make(context.catalogue));
  return exit_ok;
}

void add_schema_command(CommandContext& context) {
  auto* command = context.app.add_subcommand("schema", "Print the JSON Schema of one kind of file");
  const auto kind = std::make_shared<std::string>(file_schemas().front().name);
  command->add_option(
      "KIND", *kind,
      "scenario (the default; fuzz templates are scenarios), suite, testbed, testbed-part, figure, claims, "
      "record, packets, report, baseline or fuzz-baseline");
  command->callback([&context, kind] { context.action = [&context, kind] { return print_schema(*kind, context); }; });
}

const sim::Registration<CommandEntry> schema_command({.name = "schema", .add = add_schema_command});

}  // namespace

}  // namespace racksim::tools
