// A run that ended in an exception of the simulator, a protocol or an observer: a defect, which is neither bad input
// nor a verdict.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

#include "sim/kernel/time.hpp"

namespace racksim::tools {

/// Its message says what was thrown and which event was the last.
class RunFailure : public std::runtime_error {
 public:
  RunFailure(const std::string& what, const std::string& last_event)
      : std::runtime_error(fmt::format("{}\n  last event: {}", what, last_event)) {}
};

/// What was thrown was a sim::BrokenInvariant, at this instant.
class InvariantFailure final : public RunFailure {
 public:
  InvariantFailure(const std::string& what, const std::string& last_event, sim::Time at)
      : RunFailure(what, last_event), at_(at) {}
  sim::Time at() const { return at_; }

 private:
  sim::Time at_;
};

}  // namespace racksim::tools
