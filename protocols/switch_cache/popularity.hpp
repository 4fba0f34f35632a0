// A key and how often it was asked for, by which controllers choose what to cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::switch_cache {

struct Popularity {
  sim::Key key = 0;
  std::uint64_t count = 0;  ///< requests, as far as is known
  bool operator==(const Popularity&) const = default;
};

/// Hotter first; of equals the smaller key.
inline bool hotter(const Popularity& a, const Popularity& b) {
  return a.count != b.count ? a.count > b.count : a.key < b.key;
}

/// How many of the evicted keys were asked for more often than one that stays.
inline std::uint64_t hotter_than_one_of(const std::vector<Popularity>& staying,
                                        const std::vector<Popularity>& evicted) {
  if (staying.empty()) return 0;
  const auto count_less = [](const Popularity& a, const Popularity& b) { return a.count < b.count; };
  const std::uint64_t least = std::min_element(staying.begin(), staying.end(), count_less)->count;
  return static_cast<std::uint64_t>(
      std::count_if(evicted.begin(), evicted.end(), [&](const Popularity& p) { return p.count > least; }));
}

}  // namespace racksim::switch_cache
