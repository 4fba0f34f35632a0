// How long operations of a protocol may wait for each other: what it declares, and the oracles of waiting judge by
// (bounded_waiting_oracle.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// How long operations of a protocol may wait for each other.
struct WaitingBounds {
  /// Where nobody queues: all who want a unit try again and again, and one of them wins. Of two who try alike each is the
  /// first as often: that one loses so many times to the other before it wins happens once in 10^12 times (2^-40).
  static constexpr std::uint64_t kByLuck = 40;
  /// The same of one that wins once in ten times, as who pauses before it tries does against who comes back at once:
  /// ln 10^12 / ln (10 / 9) = 262.
  static constexpr std::uint64_t kByLittleLuck = 262;

  unsigned unit_bits = 0;  ///< keys of accesses that are equal above these bits are one unit, which locks name
  /// What ends sooner after its beginning has not waited for anybody, and overtakes nobody: a hit, an empty home.
  Duration waits_from{};
  /// Who begins by no more than this after another came at the same time: both may be on their way.
  Duration headway{};
  static constexpr std::uint64_t kAny = ~std::uint64_t{0};
  /// Of one operation, by one other session, for each operation that this has under way at a time.
  std::uint64_t overtakings = kAny;
  /// It is so by luck: where nothing is random, packets may come in the same order for ever, and nothing bounds it.
  bool lucky = false;
  /// A write ends before its turn, and is carried out later: it overtakes nobody by its end. It waits for room in its
  /// session's buffer, and what follows it (an atomic operation) for those before it: neither for others.
  bool writes_return_early = false;
  /// The same by a session of its own node, if it is not alike.
  std::optional<std::uint64_t> at_node = {};
  /// The same of a request for a lock, where that differs.
  std::optional<std::uint64_t> lock_overtakings = {};
  Duration step = Duration::max();  ///< between two ends on a unit that somebody waits for
  /// How much longer that may take for each operation of anybody's that was under way when the one that waited began:
  /// they may all be in front of it at one core.
  Duration work{};
  /// And how many times as long as whoever has the unit waited for it: priorities grow with waiting, and one that is
  /// starved yields to none that is starved less.
  unsigned as_the_holder = 0;
  Duration settling{};  ///< for how long a fault has after-effects
};

}  // namespace racksim::sim
