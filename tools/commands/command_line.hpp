// The command line: sub-commands add themselves, one file each, and exit statuses have one meaning everywhere.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "sim/options/registry.hpp"
#include "tools/scenario/catalogue.hpp"

namespace CLI {
class App;
}

namespace racksim::tools {

/// The exit statuses of every sub-command.
enum ExitStatus : int {
  exit_ok = 0,
  exit_failed = 1,     ///< an oracle or an expectation failed, or a program does not fit
  exit_bad_input = 2,  ///< one line on standard error says what is wrong; nothing is written
  exit_internal_error =
      3,  ///< a defect of racksim itself, or what is not to be had: room on a disk, memory, processes, its SimGrid module
  exit_interrupted = 130,  ///< by Ctrl-C or SIGTERM; what was complete by then is kept
};

/// What a sub-command works with.
struct CommandContext {
  CLI::App& app;  ///< to which it adds itself
  const Catalogue& catalogue;
  std::ostream& out;
  std::ostream& err;
  /// The chosen sub-command's work, set by its CLI11 callback; it returns the exit status and may throw InputError.
  std::function<int()> action;
};

/// A sub-command. Each registers itself (sim/options/registry.hpp).
struct CommandEntry {
  static constexpr std::string_view kWhat = "command";
  std::string name;
  /// Adds it to the context's app.
  std::function<void(CommandContext&)> add;
};

/// Parses the arguments (without the program's name) and runs the chosen sub-command. Never throws: what escapes a
/// sub-command becomes one line on `err` and its exit status.
int run_command_line(std::vector<std::string> arguments, const Catalogue& catalogue, std::ostream& out,
                     std::ostream& err);
/// The same, with all that is linked into the program.
int run_command_line(std::vector<std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace racksim::tools
