// Options that are valid one by one and do not fit the rack or each other, or a text in a notation of its own with a
// mistake in it.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace racksim::sim {

/// What a component throws that cannot be built with its options: the fault of whoever gave them, unlike any other
/// exception, which is a defect.
class OptionError : public std::runtime_error {
 public:
  /// What stands where a name was expected, and the names that could stand there.
  struct UnknownName {
    std::string word;
    std::vector<std::string> names;
  };

  /// `option` is the option to change: one of the component's own by the name that it declares ("cache.bytes"), one of
  /// another part of the scenario by its JSON pointer ("/rack/cores"), or empty for the component as a whole.
  OptionError(std::string option, std::string found, std::string expected, UnknownName unknown_name = {})
      : std::runtime_error(
            fmt::format("{}{}found {}, expected {}", option, option.empty() ? "" : ": ", found, expected)),
        option_(std::move(option)),
        found_(std::move(found)),
        expected_(std::move(expected)),
        unknown_name_(std::move(unknown_name)) {}

  const std::string& option() const { return option_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }
  const UnknownName& unknown_name() const { return unknown_name_; }

 private:
  std::string option_, found_, expected_;
  UnknownName unknown_name_;
};

}  // namespace racksim::sim
