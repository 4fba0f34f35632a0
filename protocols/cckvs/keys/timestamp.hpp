// Timestamps of puts: a Lamport clock and the number of the node that wrote (ccKVS §5.2), unique for every put of a
// key, since a node's puts of one key have versions of their own.
//
// The clock has a few bits and wraps, which the paper does not treat. Compared as serial numbers (RFC 1982) versions
// are in their right order as long as all that are alive, in entries, puts under way and packets, span less than half
// of the numbers. Every number is a version, 0 too: not so those that a switch gives out (store/version.hpp).
#pragma once

#include <compare>
#include <cstdint>

#include "models/packets/rack_context.hpp"

namespace racksim::cckvs {

using models::NodeId;

struct Timestamp {
  std::uint32_t version = 0;
  std::uint8_t node = 0;  ///< that wrote

  bool operator==(const Timestamp&) const = default;
};

/// The order of a key's timestamps.
class TimestampOrder {
 public:
  /// Versions of `bits` bits, 2 to 32. Not `tie_break`: two with one version come in no order, which is wrong.
  constexpr explicit TimestampOrder(unsigned bits, bool tie_break = true)
      : mask_(bits == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1), tie_break_(tie_break) {}

  /// The timestamp of a put by `node` to a key that has this one.
  constexpr Timestamp next(Timestamp before, NodeId node) const {
    return {(before.version + 1) & mask_, static_cast<std::uint8_t>(node)};
  }
  /// Whether `a` comes after `b`. Versions that are half of all numbers apart come in no order.
  constexpr bool after(Timestamp a, Timestamp b) const {
    if (a.version == b.version) return tie_break_ && a.node > b.node;
    const std::uint32_t distance = (a.version - b.version) & mask_;
    return distance <= mask_ / 2;
  }

 private:
  std::uint32_t mask_;
  bool tie_break_;
};

}  // namespace racksim::cckvs
