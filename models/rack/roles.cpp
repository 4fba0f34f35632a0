#include "models/rack/roles.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::models {

Roles RoleOptions::of(std::uint64_t nodes) const {
  const std::uint64_t computing = compute.value_or(nodes), holding = memory.value_or(nodes);
  if (computing > nodes || holding > nodes) {
    throw std::runtime_error(fmt::format("roles.{} is {}, but the rack has {} servers",
                                         computing > nodes ? "compute" : "memory",
                                         computing > nodes ? computing : holding, nodes));
  }
  return {static_cast<unsigned>(computing), static_cast<unsigned>(holding), static_cast<NodeId>(nodes - holding)};
}

}  // namespace racksim::models
