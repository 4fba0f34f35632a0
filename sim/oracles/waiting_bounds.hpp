// How long operations of a protocol may wait for each other: what it declares, and the oracles of waiting judge by
// (bounded_waiting_oracle.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// How long operations of a protocol may wait for each other.
struct WaitingBounds {
  /// Where nobody queues: all who want a unit try again and again, and one of them wins. Who wins each round with a
  /// chance of 1 / `contenders` loses more rounds than this once in 10^12 times: ln 10^12 = 27.6.
  static constexpr std::uint64_t by_luck(std::uint64_t contenders) { return 28 * contenders; }

  unsigned unit_bits = 0;  ///< keys that are equal above these bits are one unit
  /// What ends sooner after its beginning has not waited for anybody, and overtakes nobody: a hit, an empty home.
  Duration waits_from{};
  /// Who begins by no more than this after another came at the same time: both may be on their way.
  Duration headway{};
  static constexpr std::uint64_t kAny = ~std::uint64_t{0};
  std::uint64_t overtakings = kAny;  ///< of one operation
  /// The same of a request for a lock, where that differs.
  std::optional<std::uint64_t> lock_overtakings = {};
  Duration step = Duration::max();  ///< between two ends on a unit that somebody waits for
  /// How much longer that may take for each operation of anybody's that was under way when the one that waited began:
  /// they may all be in front of it at one core.
  Duration work{};
  Duration settling{};  ///< for how long a fault has after-effects
};

}  // namespace racksim::sim
