// NetCache's options: the cache's size, how the controller changes what is in it (NetCache §4.4.3), and the switches
// that turn a safety mechanism off so that the oracles can be seen to notice.
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/store/options.hpp"
#include "protocols/switch_cache/options.hpp"

namespace racksim::netcache {

struct NetCacheOptions final : store::StoreProtocolOptions, switch_cache::CacheOptions {
  NetCacheOptions() { cache_entries = 10'240; }

  std::uint64_t preload = 10'000;  ///< hottest keys, of which the cacheable ones are preloaded (StarCache §5.1)

  bool invalidate = true;
  bool ordered_updates = true;

  std::uint64_t threshold = 100;
  std::uint64_t sketch_width = 65'536;
  sim::Duration update_timeout = sim::Duration::from_ps(1'000'000'000);

  static constexpr std::uint64_t kMostDoublings = 4;
  /// How long to wait for the answer to an attempt, counted from 0, of something first waited for by `timeout`: twice
  /// as long each time, up to 16 times, so that those that retry for ever leave a busy server time to answer.
  static sim::Duration patience(sim::Duration timeout, std::uint64_t attempt) {
    return timeout * (std::int64_t{1} << std::min(attempt, kMostDoublings));
  }

  void declare(sim::Parameters& p) override;
  std::vector<std::string> also_tolerates() const override { return tolerated(); }
  sim::Duration longest_timeout(const models::RackOptions& rack) const override;
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

}  // namespace racksim::netcache
