// Random faults for a derived scenario.
#pragma once

#include "sim/random.hpp"
#include "sim/time.hpp"
#include "tools/json_document.hpp"

namespace racksim::tools {

/// A scenario's `faults` for a rack of `nodes` and a run that takes about `length`: a random subset of the kinds, each
/// with random options. Each is mild enough that a protocol which tolerates faults of its kind must survive it: no
/// reliable connection runs out of retries.
JsonValue draw_faults(sim::RandomStream& stream, std::uint64_t nodes, sim::Duration length);

}  // namespace racksim::tools
