// The RPC echo of rpc_echo.hpp as a user of SimGrid writes it: actors, mailboxes and a switch that forwards.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/simgrid/module.hpp"

namespace racksim::tools {

/// Each thread of a host calls one of another host; as many threads of each host serve.
inline constexpr unsigned kEchoHosts = 8, kEchoThreads = 4;

/// Runs the echo with SimGrid S4U: 8 hosts with 4 client and 4 server actors each and a switch actor, so that an RPC is
/// four messages. `burst_done` is called whenever `burst` more RPCs are done and the run goes on while it returns true.
/// With `fat_pipe` flows do not share the switch's backplane, which is as fast as S4U gets.
/// A process can do this once, and nothing else with SimGrid.
inline void run_simgrid_echo(std::uint64_t burst, bool fat_pipe, const std::function<bool()>& burst_done) {
  using Echo = void(std::uint64_t, bool, const std::function<bool()>&);
  sim::simgrid_function<Echo>("racksim_simgrid_echo")(burst, fat_pipe, burst_done);
}

}  // namespace racksim::tools
