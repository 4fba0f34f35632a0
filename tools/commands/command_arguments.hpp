// Arguments of sub-commands, read exactly: CLI11 takes -1 and 2^64 for 2^64 - 1, and says less than our errors do.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/options/registry.hpp"
#include "tools/json/input_error.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {

/// The whole numbers that an option takes, both ends included.
struct NumberRange {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

/// `text` as a number of the range. Throws InputError, which says that `option` of `command` ("racksim run") is wrong.
std::uint64_t parse_number(const std::string& command, const std::string& option, const std::string& text,
                           const NumberRange& range);

/// Adds an option that takes a whole number. `Target` is an unsigned type that holds all of the range, or an optional
/// of one; it keeps its value if the option is not given.
template <class Target>
CLI::Option* add_number(CLI::App& command, const std::string& option, Target& target, const std::string& doc,
                        const NumberRange& range = {}) {
  const std::string name = "racksim " + command.get_name();
  const auto take = [name, option, &target, range](const std::string& text) {
    target = static_cast<Target>(parse_number(name, option, text, range));
  };
  return command.add_option_function<std::string>(option, take, doc)->type_name("NUMBER");
}

/// Adds the argument `name`, a scenario file that is required, and `--case NAME`, after which `file` is FILE/NAME.
void add_scenario(CLI::App& command, const std::string& name, std::string& file, const std::string& doc);

/// The entry that an argument of `command` ("racksim fit") names. Throws InputError, with the nearest name.
template <class Entry>
const Entry& registered(const std::string& command, const std::string& name) {
  if (const auto* entry = sim::Registry<Entry>::find(name)) return *entry;
  std::vector<std::string> names;
  for (const auto& entry : sim::Registry<Entry>::entries()) names.push_back(entry.name);
  throw InputError(command, "command line", quote(name), one_of(names), nearest_name(name, names));
}

/// Says in our own words, with the nearest name, what CLI11 found wrong; `app` is the one that parsed.
[[noreturn]] void refuse_command_line(const CLI::App& app, const CLI::ParseError& error);

/// Throws InputError if an argument is no printable text, or, with the nearest name, if the first is no option and names
/// no sub-command of `app`.
void check_arguments(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace racksim::tools
