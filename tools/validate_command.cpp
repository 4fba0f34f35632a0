// racksim validate FILE...: reads scenarios, testbeds and figures as a run would, and says what is wrong with each.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>

#include "tools/command_line.hpp"
#include "tools/data_files.hpp"
#include "tools/figure.hpp"
#include "tools/input_error.hpp"
#include "tools/scenario.hpp"

namespace racksim::tools {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
};

void validate(const std::string& path, const ValidateOptions& options, const Catalogue& catalogue) {
  const auto file = find_scenario_file(path);
  // Testbeds and figures are known by their folders.
  if (std::filesystem::path(file).parent_path().filename() == "testbeds") {
    load_testbed(file, catalogue);
  } else if (is_figure_file(file)) {
    for (const bool quick : {false, true}) load_figure(file, catalogue, quick);
  } else {
    load_scenario(file, catalogue, options.overrides);
  }
}

int validate_all(const ValidateOptions& options, CommandContext& context) {
  int status = exit_ok;
  for (const auto& path : options.files) {
    try {
      validate(path, options, context.catalogue);
      context.out << path << ": valid\n";
    } catch (const InputError& error) {
      context.err << error.what() << '\n';
      status = exit_bad_input;
    }
  }
  return status;
}

}  // namespace

void add_validate_command(CommandContext& context) {
  auto* command =
      context.app.add_subcommand("validate", "Check scenario, testbed and figure files without running them");
  const auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->files, "Files to check")->required();
  command->add_option("--set", options->overrides, "Replace a value first: path=value")->expected(1)->take_all();
  command->callback(
      [&context, options] { context.action = [&context, options] { return validate_all(*options, context); }; });
}

}  // namespace racksim::tools
