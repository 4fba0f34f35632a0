// What the controllers of caches in the switch share: they work in rounds (rounds.hpp), and look in each for keys that
// are dead.
//
// Beyond the papers, with versions: a key whose value stays invalid (a write, its reply or its update was lost, or a
// server crashed) or whose requests are not served any more (StarCache's cache packet was lost) is fetched again.
#pragma once

#include <cstdint>
#include <map>

#include "protocols/switch_cache/cache_manager.hpp"
#include "protocols/switch_cache/rounds.hpp"

namespace racksim::switch_cache {

class Controller : public Rounds {
 protected:
  Controller(store::Shared& shared, const CacheOptions& options, Counters& counters, CacheManager& manager);

  /// What a round sees of a cached key, to know by the next whether it is alive.
  struct RowState {
    std::uint64_t state = 0;  ///< the register STATE of its row
    bool waited_for = false;  ///< requests wait for its value
    std::uint64_t front = 0;  ///< which of them is the first
  };
  /// Reads a row's registers.
  virtual sim::Task<RowState> read_row(RowAt at) = 0;

  /// Has the values of keys fetched that are invalid, or waited for, as they were in the last round.
  sim::Task<void> look_for_dead_keys();

 private:
  sim::Task<void> revive(sim::Key key);

  Counters& counters_;
  CacheManager& manager_;
  std::map<std::uint64_t, RowState> last_rows_;  // by key
};

}  // namespace racksim::switch_cache
