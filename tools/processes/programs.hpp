// The switch programs of this build: plain forwarding, and those of the protocols.
#pragma once

#include "p4model/execute/registry.hpp"

namespace racksim::tools {

p4::ProgramRegistry built_in_programs();

}  // namespace racksim::tools
