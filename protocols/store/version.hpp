// Versions: the numbers that a switch gives to the writes and fetches of a cached key, and how they compare once they
// have wrapped around.
//
// A register has few bits, so the count of a key's writes begins again at 1 after the largest; 0 stands for no version.
// As serial numbers (RFC 1982) versions of one key compare rightly as long as fewer than half of them have been given
// out between the two: with 32 bits two thousand million writes of the key, which no switch passes in 200 seconds. A
// packet that is older than that must not arrive any more, or it may do harm: a write request would be executed as if
// it were the newest, and server and switch part until the key's next write. Replies and cache packets are compared for
// equality by the switch, so they would have to be a whole cycle old. A boot of the switch passes many versions over, of
// few bits a quarter, so that two make half of them: what a server keeps of a key's writes it judges by places that do not
// wrap (switch_cache/write_order.hpp), or whenever an insertion of the key is over.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/record/ids.hpp"

namespace racksim::store {

/// How often the switch has counted a key's writes and fetches, or 0 for none.
using Version = sim::Id<struct VersionKind, std::uint64_t>;
inline constexpr Version kNoVersion = 0;

class Versions {
 public:
  /// Numbers of `bits` bits, 2 to 32. Not `serial`: compared as they are, which is wrong as soon as they wrap.
  constexpr explicit Versions(unsigned bits = 32, bool serial = true)
      : count_((std::uint64_t{1} << bits) - 1), serial_(serial) {}

  /// The largest, after which 1 follows.
  constexpr std::uint64_t largest() const { return count_; }
  /// The version `steps` after this one; after none the first is 1.
  constexpr Version ahead(Version version, std::uint64_t steps) const {
    return Version{(version + steps - 1) % count_ + 1};
  }
  /// How many a boot passes over: more of them than the controller can have missed, and of all so few that packets
  /// which outlast several boots compare rightly. A switch passes so many writes of a key in 100 ms at the least.
  constexpr std::uint64_t leap() const { return std::min(count_ / 4, std::uint64_t{1} << 24); }
  /// Whether `a` was given out after `b`. Every version comes after none.
  constexpr bool after(Version a, Version b) const {
    if (a == 0 || b == 0 || !serial_) return a > b;
    const std::uint64_t distance = (a + count_ - b) % count_;
    return distance != 0 && distance <= count_ / 2;
  }
  /// How many steps lead from `a`, which may be none, ahead to `b`.
  constexpr std::uint64_t steps(Version a, Version b) const { return (b + count_ - a) % count_; }
  constexpr Version latest(Version a, Version b) const { return after(b, a) ? b : a; }

 private:
  std::uint64_t count_;
  bool serial_;
};

}  // namespace racksim::store
