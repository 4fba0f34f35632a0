// How the engine numbers servers.
#pragma once

#include <cstdint>

namespace racksim::sim {

/// Identity of a server, made by `Engine::add_host`; counts from 0.
struct HostId {
  std::uint32_t index = 0;
  bool operator==(const HostId&) const = default;
};

}  // namespace racksim::sim
