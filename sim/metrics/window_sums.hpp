// What ends in a run, by window of time: how many, and how long they took. From time zero, whatever is measured, so that it
// shows whether the warm-up was long enough.
//
// There are at most 1,024 windows. They begin short, and double as the run goes on, neighbours becoming one: a run of any
// length has 512 or more, unless it is shorter than that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

class WindowSums {
 public:
  static constexpr std::size_t kWindows = 1024;

  struct Window {
    std::uint64_t count = 0;
    std::uint64_t took_ps = 0;  ///< all together
  };

  /// Something that took so long has ended. Before time zero nothing is counted.
  void add(Time at, Duration took) {
    std::uint64_t index = static_cast<std::uint64_t>(at.ps()) >> shift_;
    if (index >= kWindows) [[unlikely]] {
      if (at < Time()) return;
      index = widen(at);
    }
    ++windows_[index].count;
    windows_[index].took_ps += static_cast<std::uint64_t>(took.ps());
  }

  Duration width() const { return Duration::from_ps(std::int64_t{1} << shift_); }
  /// The windows from time zero on; of those in which nothing has ended the counts are 0.
  const std::array<Window, kWindows>& windows() const { return windows_; }

 private:
  /// Doubles the windows until the last of them reaches beyond an instant, and gives its index. Ten times in a run, so that
  /// it stays out of the way of those who count.
  [[gnu::noinline]] std::uint64_t widen(Time at) {
    const auto ps = static_cast<std::uint64_t>(at.ps());
    for (; ps >> shift_ >= kWindows; ++shift_) {
      for (std::size_t i = 0; i < kWindows / 2; ++i) {
        const Window &first = windows_[2 * i], &second = windows_[2 * i + 1];
        windows_[i] = {first.count + second.count, first.took_ps + second.took_ps};
      }
      for (std::size_t i = kWindows / 2; i < kWindows; ++i) windows_[i] = {};
    }
    return ps >> shift_;
  }

  unsigned shift_ = 16;  // 65.536 ns
  std::array<Window, kWindows> windows_{};
};

}  // namespace racksim::sim
