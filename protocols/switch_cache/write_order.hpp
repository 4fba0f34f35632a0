// The order in which a server lets writes take effect, so that what the switch caches is the latest value: the server's
// part of coherence with versions.
//
// The printed protocols trust that a write that passed the switch while its key was not cached has reached the server
// before the key's value is fetched, and that writes reach the server in the order in which they passed the switch
// (StarCache §3.7; NetCache §4.3 serialises writes at the server, which helps against neither). Neither need hold. With
// versions the switch numbers the writes and fetches of a cached key, and the server refuses, for its client to send it
// again,
//
//   (i)   a write whose version comes before the latest that it has seen of the key: the value of a later write or
//         fetch may be in the switch already;
//   (ii)  a write without a version while the key may be cached: it passed the switch before the key was inserted.
//
// The controller says when a key is not cached any more, with the last version that the switch has given out, or a
// later one (iii): the next insertion of the key begins after it, and writes of before it are refused. Keys that share
// a hash share a state, as they do in the switch. All of this is durable (store/partition.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "protocols/store/key_hash.hpp"
#include "protocols/store/version.hpp"

namespace racksim::switch_cache {

class WriteOrder {
 public:
  explicit WriteOrder(store::Versions versions) : versions_(versions) {}

  /// Rules (i) and (ii). `version` is 0 if the write has none.
  bool admits(store::KeyHash hash, store::Version version) const {
    const State* state = find(hash);
    if (state == nullptr) return true;
    return version == 0 ? state->over : !versions_.after(state->newest, version);
  }
  /// A write or fetch of this version has been executed.
  void executed(store::KeyHash hash, store::Version version) {
    if (version == 0) return;
    State& state = states_[hash];
    if (!versions_.after(version, state.newest)) return;
    state = {version, place_after(state, version), false};
  }
  /// How many versions of the key had been given out with this one, without ever wrapping: right for as long as
  /// versions compare rightly.
  std::int64_t place_of(store::KeyHash hash, store::Version version) const {
    const State* found = find(hash);
    const State state = found ? *found : State{};
    if (version == 0 || version == state.newest) return version == 0 ? 0 : state.place;
    if (versions_.after(version, state.newest)) return place_after(state, version);
    return state.place - static_cast<std::int64_t>(versions_.steps(version, state.newest));
  }
  /// The latest version executed of a key, or at which an insertion of it was over; 0 if none.
  store::Version newest(store::KeyHash hash) const {
    const State* state = find(hash);
    return state ? state->newest : store::kNoVersion;
  }
  /// Rule (iii): no version after `last` is given out until the key is inserted again.
  void evicted(store::KeyHash hash, store::Version last) {
    State& state = states_[hash];
    if (versions_.after(state.newest, last)) return;  // old news: the key has been inserted again
    state = {last, place_after(state, last), true};
  }
  /// How many keys may be cached as far as is known here, and of which `cached(hash)` says that they are not.
  template <class Cached>
  std::size_t taken_for_cached(Cached&& cached) const {
    return static_cast<std::size_t>(std::count_if(
        states_.begin(), states_.end(), [&](const auto& entry) { return !entry.second.over && !cached(entry.first); }));
  }

 private:
  struct State {
    store::Version newest = 0;  // version
    std::int64_t place = 0;     // of that
    bool over = false;          // the insertion that it belongs to is over
  };
  struct Hasher {
    std::size_t operator()(store::KeyHash hash) const { return static_cast<std::size_t>(hash.low ^ hash.high); }
  };
  std::int64_t place_after(const State& state, store::Version version) const {
    return state.place + static_cast<std::int64_t>(versions_.steps(state.newest, version));
  }
  const State* find(store::KeyHash hash) const {
    const auto found = states_.find(hash);
    return found == states_.end() ? nullptr : &found->second;
  }

  store::Versions versions_;
  std::unordered_map<store::KeyHash, State, Hasher> states_;  // of keys that were ever cached
};

}  // namespace racksim::switch_cache
