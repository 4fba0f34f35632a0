// The controller's mind (NetCache §4.4.3): in rounds it compares the counters of cached keys with the sketch's counts
// of the uncached ones that the switch has reported as hot, replaces the least popular, and resets all counts.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocols/netcache/cache_manager.hpp"
#include "protocols/switch_cache/controller.hpp"
#include "protocols/switch_cache/popularity.hpp"

namespace racksim::netcache {

class Controller final : public switch_cache::Controller {
 public:
  Controller(store::Shared& shared, const NetCacheOptions& options, Counters& counters, const NetProgram& program,
             CacheManager& manager);

  sim::Task<void> round() override;

  /// Hot keys reported since the last round.
  std::size_t reported() const { return reported_.size(); }

 private:
  using Popularity = switch_cache::Popularity;

  sim::Task<RowState> read_row(switch_cache::RowAt at) override;
  sim::Task<std::vector<Popularity>> count_cached();
  sim::Task<std::vector<Popularity>> count_reported();
  sim::Task<void> replace(std::vector<Popularity> cached, std::vector<Popularity> reported);
  sim::Task<void> reset_statistics();

  store::Shared& shared_;
  const NetCacheOptions& options_;
  Counters& counters_;
  NetProgram program_;
  CacheManager& manager_;
  std::set<sim::Key> reported_;  // keys
};

}  // namespace racksim::netcache
