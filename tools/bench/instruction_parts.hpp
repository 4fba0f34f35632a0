// What callgrind counted, by the parts of the simulator that the instructions belong to.
#pragma once

#include <array>
#include <istream>

#include "tools/profile/program_parts.hpp"

namespace racksim::tools {

/// Instructions by Part. Their sum is what was counted in all.
using InstructionsByPart = std::array<double, kParts>;

/// Reads one file of callgrind, whose names are mangled (--demangle=no). What does its caller's work, a container or the
/// C library, counts for those that called it, divided as the instructions under their calls are; what nobody called
/// counts as other. Throws std::runtime_error on a text that is no such file.
InstructionsByPart instructions_by_part(std::istream& counted);

}  // namespace racksim::tools
