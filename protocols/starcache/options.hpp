// StarCache's options: the request table's shape, the cache's size and how the controller changes it, and the switches
// that turn a safety mechanism off so that the oracles can be seen to notice.
#pragma once

#include <cstdint>

#include "protocols/store/options.hpp"
#include "protocols/switch_cache/options.hpp"

namespace racksim::starcache {

struct StarCacheOptions final : store::StoreProtocolOptions, switch_cache::CacheOptions {
  enum class Coherence : std::uint8_t {
    versions,  ///< §3.7 with versions, and with writes ordered at the servers (switch_cache/write_order.hpp)
    paper      ///< §3.7 as printed: one validity bit
  };

  enum class EvictedRequests : std::uint8_t {
    sent_on,  ///< the controller sends them to the key's server
    paper     ///< as printed: they stay at their index, whose next key's packets their clients must correct (§3.6)
  };

  Coherence coherence = Coherence::versions;
  EvictedRequests evicted_requests = EvictedRequests::sent_on;
  std::uint64_t cache_size = 32;  ///< keys preloaded, and the controller's target at first
  std::uint64_t queue_size = 16;  ///< requests that wait per key (§4: 16, §5.3: 256, artifact: 8)
  bool multi_packet = true;       ///< items of several packets may be cached (§3.9)

  bool invalidate = true;
  bool drop_stale = true;
  bool set_flag = true;
  bool own_servers_only = true;  ///< of several racks the switch of a server's rack alone has cache logic (§3.9)
  /// The switches of the other racks run the program too and have the same entries, as where racks are replicas (§3.9).
  bool same_entries = false;

  bool sizing = false;  ///< the cache's size follows the overflow ratio (§3.8)
  std::uint64_t min_size = 32;
  double overflow_threshold = 0.01;
  std::uint64_t top_k = 10;
  std::uint64_t sketch_width = 65'536;
  std::uint64_t report_above = 100;
  sim::Duration report_timeout = sim::Duration::from_ps(200'000'000'000);

  void declare(sim::Parameters& p) override;
  std::vector<std::string> also_tolerates() const override { return tolerated(); }
  sim::Duration longest_timeout(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

}  // namespace racksim::starcache
