// Measuring on a busy machine: contestants take turns in short rounds (A B C A B C ...), so that whatever slows one
// down slows its neighbours down too; what is told is the median of a round's ratios, with the spread. Seconds are
// those that the process spent on a processor, so that they do not count what else the machine does meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace racksim::tools {

/// The median of some values, and the least and the greatest of them.
struct Spread {
  double median = 0, low = 0, high = 0;
};

/// Throws std::logic_error when there are none.
Spread spread_of(std::vector<double> values);

/// The quotients `above[i] / below[i]`.
Spread ratio_of(const std::vector<double>& above, const std::vector<double>& below);

/// One round of a contestant: does its work and returns how many units of it were done.
using Round = std::function<std::uint64_t()>;

/// Runs the contestants in turns; returns for each of them its units per second in every round. A round of each comes
/// before, unmeasured. Throws Interrupted between two rounds (interruption.hpp).
std::vector<std::vector<double>> take_turns(const std::vector<Round>& contestants, unsigned rounds);

/// Seconds that this process has spent on a processor.
double processor_seconds();

/// Units per second of one call.
double rate_of(const Round& round);

/// What is measured in a process of its own, as a process has one SimGrid engine. Throws std::runtime_error when there
/// is no answer, and Interrupted (interruption.hpp) when the program is asked to stop as it waits.
double measured_apart(const std::function<double()>& measure);

}  // namespace racksim::tools
