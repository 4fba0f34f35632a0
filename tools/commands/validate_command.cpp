// racksim validate FILE...: reads files of any kind as a run would, and says what each is and what is wrong with it.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/kinds/file_kinds.hpp"

namespace racksim::tools {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
};

int validate_all(const ValidateOptions& options, CommandContext& context) {
  int status = exit_ok;
  for (const auto& path : options.files) {
    try {
      const auto kind = check_file(find_scenario_file(path), options.overrides, context.catalogue);
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
      "validate", "Check scenarios, suites, testbeds, figures and all other files without running them");
  const auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->files, "Files to check; FILE/CASE is a case of a suite")->required();
  command->add_option("--set", options->overrides, "Replace a value first: path=value")->expected(1)->take_all();
  command->callback(
      [&context, options] { context.action = [&context, options] { return validate_all(*options, context); }; });
}

const sim::Registration<CommandEntry> validate_command({.name = "validate", .add = add_validate});

}  // namespace

}  // namespace racksim::tools
