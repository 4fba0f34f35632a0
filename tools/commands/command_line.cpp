// Parsing of the command line and the one place where errors become exit statuses.
#include "tools/commands/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <ostream>

#include "sim/simgrid/module.hpp"
#include "tools/commands/command_arguments.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

int parse_and_run(std::vector<std::string> arguments, CommandContext& context) {
  check_arguments(context.app, arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    context.app.parse(std::move(arguments));
  } catch (const CLI::Success& request) {
    context.app.exit(request, context.out, context.err);  // --help or --version
    return exit_ok;
  } catch (const CLI::ParseError& error) {
    refuse_command_line(context.app, error);
  }
  return context.action();
}

/// Runs a command, and turns what escapes it into one line and an exit status.
int guarded(std::ostream& err, const std::function<int()>& command) {
  try {
    return command();
  } catch (const InputError& error) {
    err << error.what() << '\n';
    return exit_bad_input;
  } catch (const Interrupted& interruption) {
    err << "racksim: interrupted: " << interruption.what() << '\n';
    return exit_interrupted;
  } catch (const SystemError& error) {
    err << "racksim: " << error.what() << '\n';
    return exit_internal_error;
  } catch (const sim::ModuleMissing& error) {
    err << "racksim: " << error.what() << '\n';
    return exit_internal_error;
  } catch (const std::bad_alloc&) {
    err << "racksim: there is no memory\n";
    return exit_internal_error;
  } catch (const std::exception& error) {
    err << "racksim: internal error: " << error.what() << '\n';
    return exit_internal_error;
  }
}

int run_in(std::vector<std::string> arguments, const Catalogue& catalogue, std::ostream& out, std::ostream& err) {
  CLI::App app("A deterministic simulator of a rack with a programmable switch.", "racksim");
  app.set_version_flag("--version", provenance_text());
  app.require_subcommand(1);
  CommandContext context{app, catalogue, out, err, {}};
  const CommandEntry* called = arguments.empty() ? nullptr : sim::Registry<CommandEntry>::find(arguments.front());
  if (called != nullptr) {
    called->add(context);  // and no other: their options take as long as a short command's work
  } else {
    for (const CommandEntry& command : sim::Registry<CommandEntry>::entries()) command.add(context);
  }
  return parse_and_run(std::move(arguments), context);
}

}  // namespace

int run_command_line(std::vector<std::string> arguments, const Catalogue& catalogue, std::ostream& out,
                     std::ostream& err) {
  return guarded(err, [&] { return run_in(std::move(arguments), catalogue, out, err); });
}

int run_command_line(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  return guarded(err, [&] { return run_in(std::move(arguments), built_in_catalogue(), out, err); });
}

}  // namespace racksim::tools
