// The order in which a server lets writes take effect, so that what the switch caches is the latest value: the server's
// part of the versions (net_program.hpp).
//
// NetCache serialises the writes of a key at its server and blocks them while a key is inserted (§4.3). That does not
// help against a write request that passed the switch before the key was cached and arrives after its value has been
// fetched: nothing has invalidated the value, and nobody would update it. Nor against one that another, later in the
// switch, has overtaken on the way. So the server refuses, for its client to send it again,
//
//   (i)   a write whose version is below the largest that it has seen of the key: the value of a later write or fetch
//         may be in the switch already;
//   (ii)  a write without a version while the key may be cached: it passed the switch before the key was inserted.
//
// The controller says when a key is not cached any more, with the last version that the switch has given out (iii).
// All of this is durable (nocache/partition.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace racksim::netcache {

class WriteOrder {
 public:
  /// Rules (i) and (ii). `version` is 0 if the write has none.
  bool admits(std::uint64_t key, std::uint64_t version) const {
    const auto found = states_.find(key);
    const State state = found == states_.end() ? State{} : found->second;
    return version == 0 ? state.newest <= std::max(state.evicted, evicted_all_) : version >= state.newest;
  }
  /// A write or fetch of this version has been executed.
  void executed(std::uint64_t key, std::uint64_t version) {
    if (version == 0) return;
    State& state = states_[key];
    state.newest = std::max(state.newest, version);
  }
  /// The largest version executed of a key, 0 if none.
  std::uint64_t newest(std::uint64_t key) const {
    const auto found = states_.find(key);
    return found == states_.end() ? 0 : found->second.newest;
  }
  /// Rule (iii): no version after `last` is given out until the key is inserted again.
  void evicted(std::uint64_t key, std::uint64_t last) {
    State& state = states_[key];
    state.evicted = std::max(state.evicted, last);
  }
  /// The switch has lost its state: the same for all keys.
  void evicted_all(std::uint64_t last) { evicted_all_ = std::max(evicted_all_, last); }

 private:
  struct State {
    std::uint64_t newest = 0;   // version
    std::uint64_t evicted = 0;  // the last version of an insertion that is over
  };
  std::unordered_map<std::uint64_t, State> states_;  // of keys that were ever cached
  std::uint64_t evicted_all_ = 0;
};

}  // namespace racksim::netcache
