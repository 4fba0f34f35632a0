// The controller's hands in NetCache (§4.3): what inserting and removing keys takes there beyond
// switch_cache/cache_manager.hpp. Only small items can be cached; asked for a value, a server writes it into the switch
// (net_server.hpp); and the switch reports hot keys to the controller.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "protocols/netcache/counters.hpp"
#include "protocols/netcache/coverage.hpp"
#include "protocols/netcache/net_program.hpp"
#include "protocols/netcache/options.hpp"
#include "protocols/switch_cache/cache_manager.hpp"

namespace racksim::netcache {

/// The pipe of the switch that clients and servers share with what is cached.
inline constexpr unsigned kPipe = 0;

class CacheManager final : public switch_cache::CacheManager {
 public:
  /// Loads the multicast group of reports. All servers must be in the first pipe of their switch.
  CacheManager(store::Shared& shared, const switch_cache::CacheLocation& location, const NetCacheOptions& options,
               Counters& counters, const NetProgram& program);

  /// The switch's control CPU, at the pipe of the cache.
  models::ControlSession cpu() const { return switch_cache::CacheManager::cpu(kPipe); }

  /// Whether key and value are small enough (NetCache §5; StarCache §5.1).
  bool cacheable(sim::Key key) const override;

  /// A key that `preload` has inserted, and the version that its value has.
  struct Preloaded {
    sim::Key key;
    store::Version version;
  };
  /// Inserts the cacheable ones of these keys, as far as there is room, with the values that unwritten items have:
  /// before the run, without simulating time. Their servers are to be told (net_server.hpp).
  std::vector<Preloaded> preload(std::span<const sim::Key> keys);

  /// Called with each key that the switch reports as hot.
  void on_hot_key(std::function<void(sim::Key key)> handler) { hot_key_ = std::move(handler); }

 private:
  void configure_switch() override;
  sim::Duration patience(std::uint64_t attempt) const override;
  void other(const store::Message& message, store::Address from) override;

  const NetCacheOptions& options_;
  Counters& counters_;
  NetProgram program_;
  std::function<void(sim::Key)> hot_key_;
};

}  // namespace racksim::netcache
