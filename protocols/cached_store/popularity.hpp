// A key and how often it was asked for, by which controllers choose what to cache.
#pragma once

#include <cstdint>

namespace racksim::cached_store {

struct Popularity {
  std::uint64_t key = 0;
  std::uint64_t count = 0;  ///< requests, as far as is known
  bool operator==(const Popularity&) const = default;
};

/// Hotter first; of equals the smaller key.
inline bool hotter(const Popularity& a, const Popularity& b) {
  return a.count != b.count ? a.count > b.count : a.key < b.key;
}

}  // namespace racksim::cached_store
