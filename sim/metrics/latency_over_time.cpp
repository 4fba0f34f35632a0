// See latency_over_time.hpp.
#include "sim/metrics/latency_over_time.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace racksim::sim {

std::uint64_t LatencyOverTime::count(std::size_t slot) const {
  return std::accumulate(slots_[slot].begin(), slots_[slot].end(), std::uint64_t{0});
}

Duration LatencyOverTime::percentile(std::size_t slot, double percent) const {
  const std::uint64_t all = count(slot);
  if (all == 0) return {};
  const auto rank = std::max(1.0, std::ceil(percent / 100 * static_cast<double>(all)));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (static_cast<double>(seen += slots_[slot][bucket]) < rank) ++bucket;
  // The bucket's first value has 8 to 15 eighths of its power of two; its middle is half an eighth more.
  const auto sixteenths = static_cast<std::int64_t>(2 * (bucket % 8 + 8) + 1);
  return Duration::from_ps(sixteenths << (bucket / 8 + kLeast - kBits - 1));
}

std::uint64_t LatencyOverTime::widen(Time at) {
  const auto ps = static_cast<std::uint64_t>(at.ps());
  for (; ps >> shift_ >= kSlots; ++shift_) {
    for (std::size_t i = 0; i < kSlots / 2; ++i) {
      const Slot first = slots_[2 * i], second = slots_[2 * i + 1];
      std::transform(first.begin(), first.end(), second.begin(), slots_[i].begin(), std::plus<>());
    }
    for (std::size_t i = kSlots / 2; i < kSlots; ++i) slots_[i] = {};
  }
  return ps >> shift_;
}

}  // namespace racksim::sim
