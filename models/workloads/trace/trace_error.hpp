// A trace that cannot be read, or replayed here: which file, where in it, what is there, and what could be.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "sim/options/option_error.hpp"

namespace racksim::models {

/// Bad input, like every option that is wrong, found before the run or in the middle of it.
class TraceError : public sim::OptionError {
 public:
  /// `place` is "line 17" or "record 5" (both count from 1), or empty for the file as a whole.
  TraceError(std::string file, std::string place, std::string found, std::string expected)
      : sim::OptionError("/workload/file", fmt::format("{}{}{}: {}", file, place.empty() ? "" : " ", place, found),
                         std::move(expected)),
        file_(std::move(file)),
        place_(std::move(place)),
        there_(std::move(found)) {}

  const std::string& file() const { return file_; }
  const std::string& place() const { return place_; }
  /// What was found, without file and place.
  const std::string& there() const { return there_; }

 private:
  std::string file_, place_, there_;
};

}  // namespace racksim::models
