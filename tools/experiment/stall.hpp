// Why a run stands still: who waits for whom, and whether they wait in a circle.
#pragma once

#include <string>
#include <vector>

#include "sim/record/wait.hpp"
#include "tools/experiment/assembly.hpp"

namespace racksim::tools {

struct Stall {
  std::vector<sim::Wait> waits;
  /// Some who wait in a circle: each for the next, the last for the first. Empty if there is none.
  std::vector<std::string> circle;
};

/// What sessions, queue pairs, cores and the protocol wait for at this instant.
Stall stall(Assembly& assembly);
/// With the circle that these waits have.
Stall stall_of(std::vector<sim::Wait> waits);

/// A line each, the circle first; at most `most` waits.
std::vector<std::string> lines_of(const Stall& stall, std::size_t most);

}  // namespace racksim::tools
