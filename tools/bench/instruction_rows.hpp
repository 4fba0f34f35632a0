// What `racksim bench --instructions` counts: short pieces of the simulator's work, each of which can also be done alone,
// for a profiler to watch.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

struct InstructionRow {
  std::string name, unit;
  /// Counted is the slope between two lengths, so that what every run begins and ends with drops out; with one length
  /// (the second 0) all that the program does.
  std::array<std::uint64_t, 2> lengths{};
  /// Does the work at this length in this process; returns how many units that was. Throws std::runtime_error when a
  /// run fails.
  std::function<std::uint64_t(std::uint64_t length, const Catalogue& catalogue)> work{};
  /// A command of the program that is the work instead, with the length behind it; its units are the length.
  std::vector<std::string> command{};
  std::optional<double> aim{};  ///< at most so many instructions a unit
};

/// All of them, in the order in which they are told.
const std::vector<InstructionRow>& instruction_rows();

/// Pairs of rows whose quotient is told too: a run with all checks on and with none.
struct InstructionQuotient {
  std::string name, above, below;
  double aim;  ///< at most
};
const std::vector<InstructionQuotient>& instruction_quotients();

}  // namespace racksim::tools
