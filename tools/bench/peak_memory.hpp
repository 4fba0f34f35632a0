// The memory that a run takes.
#pragma once

#include <cstdint>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// The most RAM, in bytes, of a process that runs a scenario. It is this process's child and begins with its memory,
/// so ask before this process has grown. Throws std::runtime_error when the run fails.
std::uint64_t peak_memory_of(const Scenario& scenario);

}  // namespace racksim::tools
