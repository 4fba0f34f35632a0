// HKEY, the fixed-size hash by which the switch knows a key (StarCache §3.2, §3.6), and the server that it leads to.
#pragma once

#include <cstdint>

#include "sim/record/ids.hpp"

namespace racksim::store {

/// A key's hash, at most 128 bits.
struct KeyHash {
  std::uint64_t high = 0, low = 0;
  bool operator==(const KeyHash&) const = default;
};

namespace detail {
/// A bijection of 64-bit words that scatters neighbours (the finaliser of SplitMix64).
constexpr std::uint64_t scatter(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
}  // namespace detail

/// The hash of a key, cut to its low `bits` (1 to 128) bits: few bits make keys collide, as tests want them to.
constexpr KeyHash key_hash(sim::Key key, unsigned bits) {
  KeyHash hash{detail::scatter(key + 0x9e3779b97f4a7c15u), detail::scatter(key ^ 0x6a09e667f3bcc908u)};
  if (bits < 128) hash.high = bits <= 64 ? 0 : hash.high & ((std::uint64_t{1} << (bits - 64)) - 1);
  if (bits < 64) hash.low &= (std::uint64_t{1} << bits) - 1;
  return hash;
}

/// The server of a key, one of `servers`, which follows from its hash: keys that collide have the same server. Each
/// `placement` deals the keys out anew.
constexpr unsigned server_of(KeyHash hash, unsigned servers, std::uint64_t placement = 0) {
  const std::uint64_t dealt = placement == 0 ? 0 : detail::scatter(placement);
  return static_cast<unsigned>(detail::scatter((hash.high * 3 + hash.low) ^ dealt) % servers);
}

}  // namespace racksim::store
