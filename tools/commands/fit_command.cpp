// racksim fit PROGRAM: places a switch program into stages and prints what it uses, or why it does not fit.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "models/rack/rack_options.hpp"
#include "p4model/execute/registry.hpp"
#include "p4model/fit/placement.hpp"
#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

struct FitOptions {
  std::string program;
  std::string testbed;
  std::string dot;
};

p4::SwitchResources resources(const FitOptions& options, const Catalogue& catalogue) {
  if (options.testbed.empty()) return {};
  const std::string file = find_testbed_file(options.testbed, ".");
  if (file.empty()) {
    const auto names = testbed_names();
    throw InputError("racksim fit", "--testbed", quote(options.testbed), one_of(names),
                     nearest_name(options.testbed, names));
  }
  const Testbed testbed = load_testbed(file, catalogue);
  return testbed.rack.options->network_switch.pipe;
}

int fit(const FitOptions& options, CommandContext& context) {
  const auto& entry = registered<p4::ProgramEntry>("racksim fit", options.program);
  const auto budget = resources(options, context.catalogue);
  const auto program = entry.make();
  try {
    const p4::Placement placement(*program, budget);
    context.out << placement.report() << std::flush;
    if (!options.dot.empty()) write_file(options.dot, placement.dot(), "racksim fit", "--dot");
    return exit_ok;
  } catch (const p4::ProgramError& error) {
    context.err << error.what() << '\n';
    return exit_failed;
  }
}

void add_fit(CommandContext& context) {
  auto* command = context.app.add_subcommand("fit", "Place a switch program into stages and print what it uses");
  const auto options = std::make_shared<FitOptions>();
  command->add_option("PROGRAM", options->program, "One of `racksim list programs`")->required();
  command->add_option("--testbed", options->testbed, "Take the switch's resources from this testbed");
  command->add_option("--dot", options->dot, "Also write the dependency graph to this file, for Graphviz");
  command->callback([&context, options] { context.action = [&context, options] { return fit(*options, context); }; });
}

const sim::Registration<CommandEntry> fit_command({.name = "fit", .add = add_fit});

}  // namespace

}  // namespace racksim::tools
