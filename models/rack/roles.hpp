// Roles of servers: which of them compute, and which hold global memory (`rack.roles`). Both may be the same ones, as
// in Concordia and GAM, or apart, as with SELCC's compute and memory servers. A scenario that is for protocols of either
// kind says `"roles": "protocol"`: its servers compute, and the memory is where the protocol wants it
// (ProtocolOptions::memory_servers_beside).
#pragma once

#include <cstdint>
#include <optional>

#include "models/packets/rack_context.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

/// The first servers compute, the last ones hold memory.
struct Roles {
  unsigned compute_nodes = 0;
  unsigned memory_nodes = 0;
  NodeId first_memory_node = 0;

  /// All servers have both roles.
  static Roles both(unsigned nodes) { return {.compute_nodes = nodes, .memory_nodes = nodes, .first_memory_node = 0}; }
  bool all_have_both() const { return first_memory_node == 0 && compute_nodes == memory_nodes; }
  bool computes(NodeId node) const { return node < compute_nodes; }
  bool holds_memory(NodeId node) const { return node >= first_memory_node && node < first_memory_node + memory_nodes; }
};

/// What a testbed or scenario says of them.
struct RoleOptions {
  std::optional<std::uint64_t> compute, memory;

  void declare(sim::Parameters& p) {
    p.optional_integer("compute", compute, 1, kMostNodes,
                       "how many servers, from the first on, run application threads; null: all");
    p.optional_integer("memory", memory, 1, kMostNodes,
                       "how many servers, from the last back, hold global memory; null: all");
  }
  /// Throws std::runtime_error when a rack of so many servers has fewer than these.
  Roles of(std::uint64_t nodes) const;
};

}  // namespace racksim::models
