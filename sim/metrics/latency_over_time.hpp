// How long what ends in a run takes, by slot of time: enough to draw a percentile over the run. From time zero, whatever
// is measured.
//
// There are at most 64 slots. They begin short, and double as the run goes on, neighbours becoming one, as those of
// window_sums.hpp do. Every power of two is cut into eight equal buckets, so that a value is known to within an eighth.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

class LatencyOverTime {
 public:
  static constexpr std::size_t kSlots = 64;

  LatencyOverTime() : slots_(kSlots) {}

  /// Something that took so long has ended. Before time zero nothing is counted.
  void add(Time at, Duration took) {
    std::uint64_t index = static_cast<std::uint64_t>(at.ps()) >> shift_;
    if (index >= kSlots) [[unlikely]] {
      if (at < Time()) return;
      index = widen(at);
    }
    ++slots_[index][bucket_of(took)];
  }

  Duration width() const { return Duration::from_ps(std::int64_t{1} << shift_); }
  /// Of the slots from time zero on: how many ended in one of them.
  std::uint64_t count(std::size_t slot) const;
  /// The middle of the bucket that holds the duration which `percent` of them do not exceed (nearest rank); 0 where
  /// nothing ended. Below a nanosecond and above eight seconds it is known to be so short, or so long, alone.
  Duration percentile(std::size_t slot, double percent) const;

 private:
  static constexpr int kLeast = 10, kMost = 42;  // powers of two of picoseconds
  static constexpr int kBits = 3;
  static constexpr std::size_t kBuckets = std::size_t{kMost - kLeast + 1} << kBits;
  using Slot = std::array<std::uint32_t, kBuckets>;

  static std::size_t bucket_of(Duration took) {
    const auto ps = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(took.ps(), std::int64_t{1} << kLeast, (std::int64_t{2} << kMost) - 1));
    const int octave = std::bit_width(ps) - 1;
    const std::uint64_t eighth = (ps >> (octave - kBits)) % (std::uint64_t{1} << kBits);  // the bits below the highest
    return (static_cast<std::size_t>(octave - kLeast) << kBits) + static_cast<std::size_t>(eighth);
  }
  /// Doubles the slots until the last of them reaches beyond an instant, and gives its index.
  [[gnu::noinline]] std::uint64_t widen(Time at);

  unsigned shift_ = 20;  // 1.05 us
  std::vector<Slot> slots_;
};

}  // namespace racksim::sim
