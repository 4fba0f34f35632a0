// A value of an option that no rack and no protocol can make right: a text in a notation of its own with a mistake in
// it, or options that contradict each other. Whoever reads options turns it into the line that a person sees.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace racksim::sim {

/// `what()` is "option: found X, expected Y".
class RefusedOption : public std::runtime_error {
 public:
  /// What stands where a name was expected, and the names that could stand there.
  struct Misnomer {
    std::string word;
    std::vector<std::string> names;
  };

  /// `option` is the parameter's name as its component declares it.
  RefusedOption(std::string option, std::string found, std::string expected, Misnomer misnomer = {})
      : std::runtime_error(option + ": found " + found + ", expected " + expected),
        option_(std::move(option)),
        found_(std::move(found)),
        expected_(std::move(expected)),
        misnomer_(std::move(misnomer)) {}

  const std::string& option() const { return option_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }
  const Misnomer& misnomer() const { return misnomer_; }

 private:
  std::string option_, found_, expected_;
  Misnomer misnomer_;
};

}  // namespace racksim::sim
