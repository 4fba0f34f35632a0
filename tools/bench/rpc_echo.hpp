// A 64-byte RPC echo between 8 hosts with 4 closed-loop threads each, through the simulated rack: NICs, wires and a full
// RMT pass of plain forwarding in each direction; against the same in SimGrid S4U.
#pragma once

#include <cstdint>

#include "tools/bench/rounds.hpp"

namespace racksim::tools {

/// RPCs per second of both, their ratio, and what an RPC costs the calendar.
struct EchoResult {
  Spread racksim, simgrid, ratio;
  double events_per_rpc = 0;
};

/// Both in turns; a round is `rpcs` RPCs of the rack and a twentieth of that in S4U, after as
/// many that are not measured, in a child process.
EchoResult run_rpc_echo(std::uint64_t rpcs, unsigned rounds);

/// So many RPCs on the simulated rack alone; returns how many.
std::uint64_t rpc_echoes(std::uint64_t rpcs);

}  // namespace racksim::tools
