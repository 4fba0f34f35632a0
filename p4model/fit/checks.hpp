// The rules that hold for a program on any size of switch of this kind.
#pragma once

#include "p4model/fit/dependency.hpp"

namespace racksim::p4 {

/// Throws ProgramError, naming program and table or array, when a register action is more than a stateful ALU can do,
/// an array is accessed twice in a pass or from both gresses, or an action, table or parser makes no sense.
void check_program(const Program& program, const DependencyGraph& graph);

/// The part of it about what checksum units add up (docs/hardware.md 6.9).
void check_checksums(const Program& program);

/// The part of it about what a stateful ALU can do (docs/hardware.md 6.3).
void check_registers(const Program& program);

}  // namespace racksim::p4
