// Numbers on the command line, and what is said of a wrong one. See command_arguments.hpp.
#include "tools/commands/command_arguments.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>

#include "tools/json/input_error.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kWhere = "command line";

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string positional_names(const CLI::App& command) {
  std::string names;
  for (const auto* option : command.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    names += (names.empty() ? "" : " ") + option->get_name(true);
  }
  return names.empty() ? "no argument without a \"--\"" : names + " and no more";
}

[[noreturn]] void refuse_unknown(const std::string& where, const CLI::App& command, const std::string& argument) {
  if (argument.starts_with('-') && argument.size() > 1) {
    const auto names = option_names(command);
    const auto name = argument.substr(0, argument.find('='));
    throw InputError(where, kWhere, "the unknown option " + quote(name), one_of(names), nearest_name(name, names));
  }
  throw InputError(where, kWhere, "the argument " + quote(argument), positional_names(command));
}

/// By type: CLI11 gives some kinds of errors the name of the sub-command.
template <class Error>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

}  // namespace

std::uint64_t parse_number(const std::string& command, const std::string& option, const std::string& text,
                           const NumberRange& range) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < range.least || number > range.most) {
    throw InputError(command, option, quote(text),
                     fmt::format("a whole number from {} to {}", range.least, range.most));
  }
  return number;
}

void add_scenario(CLI::App& command, const std::string& name, std::string& file, const std::string& doc) {
  command.add_option(name, file, doc)->required();
  const auto case_name = std::make_shared<std::string>();
  command.add_option("--case", *case_name, "A case of the file, if it is a suite; short for " + name + "/NAME")
      ->type_name("NAME");
  command.parse_complete_callback([&file, case_name] {
    if (!case_name->empty()) file += "/" + *case_name;
  });
}

void refuse_command_line(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<const CLI::App*> levels{&app};  // the program, its command, and that one's command if it has any
  std::vector<std::string> names{"racksim"};
  for (auto parsed = app.get_subcommands(); !parsed.empty(); parsed = levels.back()->get_subcommands()) {
    levels.push_back(parsed.front());
    names.push_back(names.back() + " " + parsed.front()->get_name());
  }
  const CLI::App& command = *levels.back();
  const std::string& where = names.back();
  // Also if something else is missing: it may be what was meant.
  if (is<CLI::ExtrasError>(error) || is<CLI::RequiredError>(error)) {
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto rest = levels[i]->remaining();
      const auto commands = command_names(*levels[i]);
      if (rest.empty()) continue;
      if (commands.empty() || rest.front().starts_with('-')) refuse_unknown(names[i], *levels[i], rest.front());
      throw InputError(names[i], kWhere, "the unknown command " + quote(rest.front()), one_of(commands),
                       nearest_name(rest.front(), commands));
    }
  }
  if (is<CLI::RequiredError>(error)) {
    for (const auto* option : command.get_options()) {
      if (option->get_required() && option->count() == 0) {
        const auto name = option->get_name(option->get_positional());
        throw InputError(where, kWhere, "no " + name, fmt::format("{}: {}", name, option->get_description()));
      }
    }
    throw InputError(where, kWhere, "no command", one_of(command_names(command)));
  }
  for (const auto* option : command.get_options()) {
    const auto name = option->get_name();
    if (!is<CLI::ArgumentMismatch>(error) || !std::string(error.what()).starts_with(name + ":")) continue;
    throw InputError(where, kWhere, fmt::format("no value after \"{}\"", name),
                     fmt::format("{}: {}", name, option->get_description()));
  }
  std::string what = error.what();
  if (const auto verb = what.find(" excludes "); is<CLI::ExcludesError>(error) && verb != std::string::npos) {
    throw InputError(where, kWhere, what.replace(verb, 10, " beside "), "one of the two");
  }
  throw InputError(where, kWhere, what, fmt::format("arguments as `{} --help` explains them", where));
}

void check_arguments(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (const auto& argument : arguments) {
    if (first_unprintable(argument) == std::string::npos) continue;
    throw InputError("racksim", kWhere, unprintable_in_words(argument) + " in " + quote(argument), kPrintableText);
  }
  const auto names = command_names(app);
  if (arguments.empty()) throw InputError("racksim", kWhere, "no command", one_of(names));
  const auto& first = arguments.front();
  if (first.starts_with('-') || std::find(names.begin(), names.end(), first) != names.end()) return;
  throw InputError("racksim", kWhere, "the unknown command " + quote(first), one_of(names), nearest_name(first, names));
}

}  // namespace racksim::tools
