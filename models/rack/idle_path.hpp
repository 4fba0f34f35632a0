// How long a small message and its answer take between two servers of an idle rack: what a rack's `rtt` was measured as,
// and what follows from its link, its switch and its NICs.
#pragma once

#include "models/rack/rack_options.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

/// Of frames of 64 bytes by raw queue pairs, through one switch that forwards, each answered by the core that polls it.
/// Throws p4::ProgramError when the switch has no room for forwarding.
sim::Duration idle_round_trip(const RackOptions& rack);
/// What of that the switch does not take.
sim::Duration idle_round_trip_beside_switch(const RackOptions& rack);

}  // namespace racksim::models
