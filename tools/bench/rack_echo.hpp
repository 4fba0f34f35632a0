// A 64-byte RPC echo between 8 hosts with 4 closed-loop threads each, through the simulated rack: NICs, wires and
// a full RMT pass of plain forwarding in each direction.
#pragma once

#include <cstdint>
#include <memory>

namespace racksim::tools {

/// Each thread of a host calls one of another host; as many threads of each host serve.
inline constexpr unsigned kEchoHosts = 8, kEchoThreads = 4;

/// Rack, servers and clients, which call without end.
class RackEcho {
 public:
  RackEcho();
  ~RackEcho();
  RackEcho(const RackEcho&) = delete;
  RackEcho& operator=(const RackEcho&) = delete;

  /// Runs until at least this many more RPCs are done; returns how many were.
  std::uint64_t run(std::uint64_t rpcs);

  std::uint64_t done() const;
  /// Calendar events executed so far.
  std::uint64_t events() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace racksim::tools
