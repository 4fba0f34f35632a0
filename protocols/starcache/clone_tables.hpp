// What the cloning module of StarCache's program is filled with (StarCache §3.5, Figure 6).
#pragma once

#include <vector>

#include "protocols/starcache/star_program.hpp"
#include "protocols/store/network.hpp"

namespace racksim::starcache {

/// In these pipes of a switch that runs the program: the clone of what goes to a client, or to the switch's own
/// controller, goes to the recirculation port of the pipe. A client or the controller has a multicast group for each
/// pipe (artifact: "PRE group per (client, pipe)").
void fill_clone_tables(store::Shared& shared, unsigned network_switch, const std::vector<unsigned>& pipes,
                       const StarProgram& program);

}  // namespace racksim::starcache
