// The 128-bit hash of a run, and the mixing behind it.
//
// The hash is the SUM (mod 2^128) of one strong 128-bit mix per item. A sum does not depend on the order in which items
// are added, so two executions that record the same things in another interleaving agree; whatever order matters must
// be part of the item (the journal gives each observation a serial number within its source). It guards against
// accidents, not against an adversary.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

/// Mixes a sequence of words into 128 bits: two words at a time are multiplied into the state, with the full 128 bits
/// of the product, and the end spreads every bit over all 128.
class HashMixer {
 public:
  /// Mixers of different domains give unrelated results for the same words.
  explicit constexpr HashMixer(std::uint64_t domain)
      : left_(spread(domain + 0x9e3779b97f4a7c15)), right_(spread(domain ^ 0xc2b2ae3d27d4eb4f)) {}

  /// Adds two words, or one. (One and one is something else than two at once.)
  constexpr void add(std::uint64_t a, std::uint64_t b = 0) {
    __extension__ using Wide = unsigned __int128;
    left_ ^= a;
    right_ ^= b;
    const Wide product = static_cast<Wide>(left_) * right_;
    // Added to the factors, so that a factor of 0 does not forget the other.
    left_ ^= static_cast<std::uint64_t>(product);
    right_ ^= static_cast<std::uint64_t>(product >> 64);
  }

  /// Adds text of any length, its length included.
  void add(std::string_view text);

  constexpr RunHash finish() const {
    HashMixer end = *this;
    end.add(0x87c37b91114253d5, 0x4cf5ad432745937f);
    std::swap(end.left_, end.right_);
    end.add(0xbf58476d1ce4e5b9, 0x94d049bb133111eb);
    std::swap(end.left_, end.right_);
    end.add(0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f);
    // The upper half of a product is not uniform: both results take in the lower half, which is.
    return {end.left_ + end.right_, end.left_ ^ std::rotl(end.right_, 32)};
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
