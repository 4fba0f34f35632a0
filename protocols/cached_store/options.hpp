// Options that every store with a cache in the switch has beside the application's.
#pragma once

#include <cstdint>

#include "sim/time.hpp"

namespace racksim::cached_store {

struct CacheOptions {
  std::uint64_t cache_entries = 4096;  ///< rows of the lookup table, the most keys that can be cached
  bool updates = false;                ///< keys are replaced by popularity
  sim::Duration round = sim::Duration::from_ps(1'000'000'000'000);
  sim::Duration fetch_timeout = sim::Duration::from_ps(1'000'000'000);
  std::uint64_t fetch_attempts = 10;
};

}  // namespace racksim::cached_store
