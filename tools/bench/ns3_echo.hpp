// The RPC echo of rpc_echo.hpp in ns-3, where the build found that (Debian: libns3-dev).
#pragma once

#include <cstdint>
#include <functional>

namespace racksim::tools {

/// Runs it: 8 hosts with 4 clients each, at a node that forwards, over point-to-point links; with `stack` by UDP
/// sockets and a router, as a user of ns-3 writes it, without one by frames alone, which is as fast as ns-3 gets.
/// `burst_done` is called whenever `burst` more RPCs are done and the run goes on while it returns true.
using Ns3Echo = void(std::uint64_t burst, bool stack, const std::function<bool()>& burst_done);

/// Null if there is none.
Ns3Echo* ns3_echo();

}  // namespace racksim::tools
