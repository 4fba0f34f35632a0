// The kinds of faults that a protocol survives with its defaults: those of its registration and of its options.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"

namespace racksim::models {

/// In alphabetical order.
inline std::vector<std::string> tolerated_by_default(const ProtocolEntry& protocol) {
  std::vector<std::string> kinds = protocol.tolerates;
  const std::vector<std::string> by_options = protocol.make_options()->also_tolerates();
  kinds.insert(kinds.end(), by_options.begin(), by_options.end());
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

}  // namespace racksim::models
