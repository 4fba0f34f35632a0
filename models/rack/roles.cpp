#include "models/rack/roles.hpp"

#include <fmt/core.h>

#include "sim/options/option_error.hpp"

namespace racksim::models {

Roles RoleOptions::of(std::uint64_t nodes) const {
  const std::uint64_t computing = compute.value_or(nodes), holding = memory.value_or(nodes);
  if (computing > nodes || holding > nodes) {
    throw sim::OptionError(computing > nodes ? "/rack/roles/compute" : "/rack/roles/memory",
                           fmt::format("{} nodes", computing > nodes ? computing : holding),
                           fmt::format("at most the {} nodes of the rack", nodes));
  }
  return {.compute_nodes = static_cast<unsigned>(computing),
          .memory_nodes = static_cast<unsigned>(holding),
          .first_memory_node = static_cast<NodeId>(nodes - holding)};
}

}  // namespace racksim::models
