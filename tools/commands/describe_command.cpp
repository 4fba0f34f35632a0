// racksim describe NAME: what an option, a metric, a fault or an oracle is.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/describe/description.hpp"

namespace racksim::tools {
namespace {

struct DescribeOptions {
  std::string name;
  bool json = false;
};

int describe(const DescribeOptions& options, CommandContext& context) {
  const auto found = tools::describe(options.name, context.catalogue, "racksim describe");
  context.out << (options.json ? to_json(descriptions_json(found)) : descriptions_text(found));
  return exit_ok;
}

void add_describe(CommandContext& context) {
  auto* command =
      context.app.add_subcommand("describe", "Say what an option, a metric, a fault or an oracle is, with its values");
  const auto options = std::make_shared<DescribeOptions>();
  command
      ->add_option("NAME", options->name,
                   "A path as --set takes it (run.stall), a metric (latency_ns.p99), or what a fault, an oracle, a "
                   "protocol, a workload or a switch program is called; or how such a path or metric ends")
      ->required();
  command->add_flag("--json", options->json, "Print what is known as JSON");
  command->callback(
      [&context, options] { context.action = [&context, options] { return describe(*options, context); }; });
}

const sim::Registration<CommandEntry> describe_command({.name = "describe", .add = add_describe});

}  // namespace

}  // namespace racksim::tools
