// How hot blocks are in one epoch (Concordia §5.2.2): a count for each block that was touched, and the hottest of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "protocols/flowcc/rules/block.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::flowcc {

/// A block and how often it has been counted.
struct Heat {
  Tag tag = 0;
  std::uint32_t count = 0;
};
/// The hotter first; of two equally hot ones the one with the lower tag.
constexpr bool hotter(const Heat& a, const Heat& b) {
  return a.count != b.count ? a.count > b.count : a.tag < b.tag;
}

/// What agents tell the shadow node in one packet: counts of invalidations, or blocks that the switch has.
struct HeatReport {
  /// 100 of 12 bytes fill a packet of Ethernet's usual size.
  static constexpr std::size_t kMost = 100;
  static constexpr std::uint32_t kBytesEach = 12;
  std::array<Heat, kMost> blocks{};
  std::uint32_t size = 0;
};

/// Counts of one epoch. Takes memory and time by the blocks that were touched.
class Hotness {
 public:
  /// Where blocks do not migrate nothing is counted.
  explicit Hotness(bool counts) : is_counted_(counts) {}

  void add(Tag tag, std::uint32_t n) {
    if (is_counted_) counts_[tag] += n;
  }
  std::size_t size() const { return counts_.size(); }
  void clear() { counts_ = {}; }

  /// The `most` hottest, in order.
  std::vector<Heat> hottest(std::size_t most) const {
    std::vector<Heat> all;
    all.reserve(counts_.size());
    counts_.for_each([&](std::uint64_t tag, std::uint32_t count) { all.push_back({Tag{tag}, count}); });
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
    std::partial_sort(all.begin(), end, all.end(), hotter);
    all.erase(end, all.end());
    return all;
  }

 private:
  bool is_counted_;
  sim::FlatMap<std::uint32_t> counts_;
};

}  // namespace racksim::flowcc
