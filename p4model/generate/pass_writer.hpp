// Writes the passes of a compiled program as C++: PHV words as local variables, constants in their places, guards as
// blocks, lookups as switches, register actions as the ALU's own code with everything known that is not in the entry or
// the packet. What it writes does what the interpreter does (p4model/execute/pipeline.cpp), in the same order.
#pragma once

#include <string>

#include "p4model/execute/pass_form.hpp"

namespace racksim::p4 {

/// A source file with the passes of this form, which registers them. `program` names it in comments. Throws
/// std::logic_error for a form that cannot be generated.
std::string passes_as_source(const PassForm& form, const std::string& program);

}  // namespace racksim::p4
