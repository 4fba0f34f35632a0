// See trace_room.hpp.
#include "tools/recording/trace_room.hpp"

#include <stdexcept>

#include "sim/oracles/oracle.hpp"

namespace racksim::tools {

void TraceWithRoom::observe(const sim::Observation& observation) {
  bool lost = false;
  try {
    JsonLinesTrace::observe(observation);
  } catch (const std::runtime_error&) {  // others may have filled the disk since the last look: nobody's defect
    lost = true;
  }
  room_.written(lost, [&] { return sim::printed(observation.at); });
}

}  // namespace racksim::tools
