// The 128-bit hash of a run, and the mixing behind it.
//
// The hash is the SUM (mod 2^128) of one strong 128-bit mix per item. A sum does not depend on the order in which items
// are added, so two executions that record the same things in another interleaving agree; whatever order matters must
// be part of the item (the event log gives each observation a serial number within its source). It guards against
// accidents, not against an adversary.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace racksim::sim {

/// A run's 128-bit fingerprint.
struct RunHash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool operator==(const RunHash&) const = default;

  /// 32 lower-case hexadecimal digits.
  std::string hex() const;

  /// Adds an item's mix, mod 2^128.
  RunHash& operator+=(const RunHash& item) {
    low += item.low;
    high += item.high + (low < item.low ? 1 : 0);
    return *this;
  }
};

/// Mixes a sequence of words into 128 bits. For any given words a step is a bijection of the state, so that nothing
/// that was added is ever forgotten, however much follows.
class HashMixer {
 public:
  /// Mixers of different domains give unrelated results for the same words.
  explicit constexpr HashMixer(std::uint64_t domain)
      : left_(spread(domain + 0x9e3779b97f4a7c15)), right_(spread(domain ^ 0xc2b2ae3d27d4eb4f)) {}

  /// Adds two words, or one. (One and one is something else than two at once.)
  constexpr void add(std::uint64_t a, std::uint64_t b = 0) {
    // Odd factors can be undone. They carry bits upwards only; the rotation brings them down again.
    left_ = std::rotl((left_ ^ a) * 0x9fb21c651e98df25, 32) + right_;
    right_ = std::rotl((right_ ^ b) * 0xd6e8feb86659fd93, 32) + left_;
  }

  /// Adds text of any length, its length included.
  void add(std::string_view text);

  constexpr RunHash finish() const {
    // Again and again a bijection; the spreading makes each bit of the result depend on each of the state.
    const std::uint64_t low = spread(right_ ^ spread(left_));
    return {spread(left_ + low), low};
  }

 private:
  /// A bijection in which each bit of the input flips each bit of the output about half the time (splitmix64's).
  static constexpr std::uint64_t spread(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }

  std::uint64_t left_;
  std::uint64_t right_;
};

}  // namespace racksim::sim
