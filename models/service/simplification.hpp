// What a protocol knows or does for the whole rack at once although no message carries it: a simplification against the
// system that its paper describes. Each is registered where it is written, and `racksim list simplifications` tells.
#pragma once

#include <string>
#include <string_view>

#include "sim/options/registry.hpp"

namespace racksim::models {

struct Simplification {
  static constexpr std::string_view kWhat = "simplification";
  std::string name;  ///< "flowcc/piece-sizes": the protocol, and what is simple
  std::string doc;   ///< what is known or done, and what a real system does instead
};

}  // namespace racksim::models
