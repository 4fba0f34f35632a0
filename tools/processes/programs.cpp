// Collects the switch programs. See programs.hpp.
#include "tools/processes/programs.hpp"

#include "models/service/protocol.hpp"

namespace racksim::tools {

p4::ProgramRegistry built_in_programs() {
  p4::ProgramRegistry registry;
  p4::register_builtin_programs(registry);
  for (const auto& protocol : models::protocols()) {
    if (protocol.register_programs) protocol.register_programs(registry);
  }
  return registry;
}

}  // namespace racksim::tools
