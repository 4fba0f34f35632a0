// What a protocol that caches lines has of options. Each declares them with the words of its paper.
#pragma once

#include <cstdint>

#include "sim/kernel/time.hpp"

namespace racksim::line_cache {

struct CacheOptions {
  std::uint64_t line_bytes = 2048;
  std::uint64_t cache_bytes = std::uint64_t{8} << 30;
  std::uint64_t shards = 128;
  double free_share = 0.002;
  // Core time of an access, of a message of another node, and of a frame that is evicted.
  sim::Duration local_access = sim::Duration::from_ps(100'000), handling = sim::Duration::from_ps(200'000),
                eviction = sim::Duration::from_ps(100'000);

  /// Frames of a cache.
  std::uint32_t frames() const { return static_cast<std::uint32_t>(cache_bytes / line_bytes); }
  /// So many frames the evictor keeps free: the threshold L of the free list (SELCC §5.2.1).
  std::uint32_t least_free() const {
    const auto share = static_cast<std::uint32_t>(free_share * static_cast<double>(frames()));
    return share == 0 ? 1 : share;
  }
};

}  // namespace racksim::line_cache
