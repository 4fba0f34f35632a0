// A 64-byte RPC echo between 8 hosts with 4 closed-loop threads each, through the simulated rack: NICs, wires and a full
// RMT pass of plain forwarding in each direction; against the same in SimGrid S4U, and in ns-3 where that is installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/rounds.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

/// RPCs per second of another, and of the rack over that.
struct EchoReference {
  std::string name;
  Spread rate, below;
};

/// RPCs per second of all, and what an RPC costs the calendar.
struct EchoResult {
  Spread racksim;
  /// "simgrid_s4u", "simgrid_s4u_fatpipe", where it is installed "ns3" and "ns3_frames", and "service".
  std::vector<EchoReference> others;
  double events_per_rpc = 0;
};

/// All in turns; a round is `rpcs` RPCs of the rack and a twentieth of that of the others, after as many that are not
/// measured, each in a child process. `service` is the same rack as an application sees it: gets of a key-value service
/// by coroutines, with histories and oracles (scenario_runs.hpp).
EchoResult run_rpc_echo(std::uint64_t rpcs, unsigned rounds, const Catalogue& catalogue);

/// So many RPCs on the simulated rack alone; returns how many.
std::uint64_t rpc_echoes(std::uint64_t rpcs);

}  // namespace racksim::tools
