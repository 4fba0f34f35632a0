// Named, counter-based random streams.
//
// Every component draws from a stream of its own, named by its path ("node3/workload"), so that adding a component
// leaves the draws of all others where they were. The generator is Philox4x32-10 (Salmon et al., "Parallel Random
// Numbers: As Easy as 1, 2, 3", SC 2011): the seed is its key, the hash of the name the upper half of its counter, the
// number of the block its lower half. Streams of different seeds or names are thus disjoint by construction.
// No std::*_distribution and no libm: the draws are the same bits on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/kernel/invariant.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// One block of Philox4x32-10: four random words for a counter under a key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// 64-bit FNV-1a, the fixed hash behind stream names.
constexpr std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// A random 64-bit value that depends on (seed, a, b) alone, for draws that must not depend on the order in which they
/// are made: a draw in the switch pipeline is keyed by its packet. Independent of the streams of the same seed.
std::uint64_t keyed_draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b);

/// One component's stream of draws. Copying it copies its position.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) : seed_(seed), name_hash_(name_hash(name)) {}

  /// A uniform 64-bit value.
  std::uint64_t next() {
    if (left_ == 0) refill();
    return block_[--left_];
  }

  /// A uniform value in [0, n), without bias (Lemire, "Fast Random Integer Generation in an Interval", 2019). Needs n >
  /// 0.
  std::uint64_t below(std::uint64_t n) {
    RACKSIM_INVARIANT(n > 0, "a draw is from a range that is not empty");
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = -n % n;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// A uniform multiple of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// True with probability p; never if p <= 0, always if p >= 1. Takes one draw whatever p is.
  bool chance(double p) { return unit() < p; }

  /// An exponentially distributed length with this mean (>= 0), rounded to the nearest picosecond. At most 36.8 means.
  Duration exponential(Duration mean);

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t name_hash_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint64_t, 2> block_{};  // handed out from the back
  unsigned left_ = 0;
};

}  // namespace racksim::sim
