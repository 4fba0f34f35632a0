// The 128-bit hash of a run, and the mixing behind it.
//
// The hash is the SUM (mod 2^128) of one strong 128-bit mix per item. A sum does not depend on the order in which items
// are added, so two executions that record the same things in another interleaving agree; whatever order matters must
// be part of the item (the journal gives each observation a serial number within its source). It guards against
// accidents, not against an adversary.
#pragma once

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

/// Mixes a sequence of words into 128 bits. Two lanes that run side by side, each a bijection per word, so that one
/// changed word always changes both; the end spreads every bit over all 128.
class HashMixer {
 public:
  /// Mixers of different domains give unrelated results for the same words.
  explicit constexpr HashMixer(std::uint64_t domain)
      : left_(spread(domain + 0x9e3779b97f4a7c15)), right_(spread(domain ^ 0xc2b2ae3d27d4eb4f)) {}

  constexpr void add(std::uint64_t word) {
    left_ = (left_ ^ word) * 0x87c37b91114253d5;
    left_ ^= left_ >> 32;
    right_ = (right_ + word) * 0x4cf5ad432745937f;
    right_ ^= right_ >> 29;
  }

  /// Adds text of any length, its length included.
  void add(std::string_view text);

  constexpr RunHash finish() const {
    const std::uint64_t left = spread(left_ + right_);
    const std::uint64_t right = spread(right_ ^ left);
    return {left + right, right};
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
