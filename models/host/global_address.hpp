// Global addresses: the home node in the upper 16 bits, the offset in that node's global memory in the lower 48
// (Concordia §4; GAM §3 uses the same split). The home of an address never changes.
#pragma once

#include <compare>
#include <cstdint>

#include "models/packets/rack_context.hpp"

namespace racksim::models {

/// An address in the global memory of the rack.
struct GlobalAddress {
  std::uint64_t value = 0;

  static constexpr unsigned kOffsetBits = 48;
  static constexpr GlobalAddress at(NodeId home, std::uint64_t offset) {
    return {static_cast<std::uint64_t>(home) << kOffsetBits | offset};
  }
  constexpr NodeId home() const { return static_cast<NodeId>(value >> kOffsetBits); }
  constexpr std::uint64_t offset() const { return value & ((std::uint64_t{1} << kOffsetBits) - 1); }
  constexpr auto operator<=>(const GlobalAddress&) const = default;
};

}  // namespace racksim::models
