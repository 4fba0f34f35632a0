// Options that every store with a cache in the switch has beside the application's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/store/version.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::switch_cache {

struct CacheOptions {
  std::uint64_t cache_entries = 4096;  ///< rows of the lookup table, the most keys that can be cached
  bool updates = false;                ///< keys are replaced by popularity
  sim::Duration round = sim::Duration::from_ps(1'000'000'000'000);
  sim::Duration fetch_timeout = sim::Duration::from_ps(1'000'000'000);
  std::uint64_t fetch_attempts = 10;
  std::uint64_t version_bits = 32;  ///< of the switch's count of a key's writes and fetches
  bool serial_versions = true;      ///< versions are compared as serial numbers, so that they may wrap

  store::Versions versions() const { return store::Versions(static_cast<unsigned>(version_bits), serial_versions); }
  /// A fault that only many versions outlast: of fewer each boot passes so large a part over that a packet which is older
  /// than two of them counts as the newest.
  std::vector<std::string> tolerated() const {
    return version_bits < 28 ? std::vector<std::string>{} : std::vector<std::string>{"switch-restart"};
  }
  /// Declares the last two.
  void declare_versions(sim::Parameters& p);
};

}  // namespace racksim::switch_cache
