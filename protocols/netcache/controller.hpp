// The controller's mind (NetCache §4.4.3): in rounds it compares the counters of cached keys with the sketch's counts
// of the uncached ones that the switch has reported as hot, replaces the least popular, and resets all counts.
//
// Beyond the paper, with versions: a key whose value has stayed invalid for a round (a write or its update was lost in
// a crash, or its client has given up) is fetched again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocols/cached_store/popularity.hpp"
#include "protocols/cached_store/rounds.hpp"
#include "protocols/netcache/cache_manager.hpp"

namespace racksim::netcache {

class Controller final : public cached_store::Rounds {
 public:
  Controller(nocache::Shared& shared, const NetCacheOptions& options, Counters& counters, const NetProgram& program,
             CacheManager& manager);

  sim::Task<void> round() override;

  /// Hot keys reported since the last round.
  std::size_t reported() const { return reported_.size(); }

 private:
  using Popularity = cached_store::Popularity;

  sim::Task<void> look_for_dead_keys();
  sim::Task<void> revive(std::uint64_t key);
  sim::Task<std::vector<Popularity>> count_cached();
  sim::Task<std::vector<Popularity>> count_reported();
  sim::Task<void> replace(std::vector<Popularity> cached, std::vector<Popularity> reported);
  sim::Task<void> reset_statistics();

  nocache::Shared& shared_;
  const NetCacheOptions& options_;
  Counters& counters_;
  NetProgram program_;
  CacheManager& manager_;
  std::set<std::uint64_t> reported_;                // keys
  std::map<std::uint64_t, std::uint64_t> invalid_;  // keys that were invalid in the last round, and their versions
};

}  // namespace racksim::netcache
