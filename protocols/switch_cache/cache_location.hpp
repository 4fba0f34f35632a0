// Where the items of a store are cached: in the switch of the rack that has the servers and in no other (StarCache
// §3.9), each in the pipe by which requests for its server come and by which the server's replies do (§3.10).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/switch/control_cpu.hpp"
#include "protocols/store/network.hpp"

namespace racksim::switch_cache {

/// A row of the cache's tables and arrays: each pipe has its own.
struct RowAt {
  unsigned pipe = 0;
  std::uint64_t index = 0;
  auto operator<=>(const RowAt&) const = default;
};

class CacheLocation {
 public:
  /// Throws sim::OptionError when servers are in several racks, and when a client's requests come to the servers'
  /// switch by another pipe than the server's replies, for cache packets that circulate in one pipe do not see requests
  /// that wait in another.
  explicit CacheLocation(const store::Shared& shared);

  /// The switch: its number in the rack.
  unsigned network_switch() const { return switch_; }
  models::SwitchChassis& chassis() const { return shared_.rack.chassis(switch_); }
  models::ControlCpu& control_cpu() const { return shared_.rack.control_cpu(switch_); }
  p4::Pipeline& pipeline(unsigned pipe) const { return chassis().pipeline(pipe); }

  /// The pipes of the switch that have servers, in ascending order.
  const std::vector<unsigned>& pipes() const { return pipes_; }
  unsigned pipe_of_server(unsigned server) const { return pipe_of_server_[server]; }
  /// The pipe in which the item of a key is cached.
  unsigned pipe_of(store::KeyHash hash) const { return pipe_of_server(server_of(hash, shared_.servers())); }

 private:
  void refuse_other_racks() const;
  void refuse_other_pipes() const;

  const store::Shared& shared_;
  unsigned switch_;
  std::vector<unsigned> pipe_of_server_, pipes_;
};

}  // namespace racksim::switch_cache
