// Options of learning which keys are hot (ccKVS §4).
#pragma once

#include <cstdint>
#include <optional>

#include "models/rack/rack.hpp"
#include "protocols/cckvs/threads/cache_options.hpp"
#include "protocols/cckvs/threads/node_options.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::cckvs {

/// The paper names the parts (one coordinator, a top-k of sampled requests, epochs) and gives no number for any.
struct HotSetOptions {
  bool learning = false;                                        ///< off: the keys that are preloaded stay
  std::uint64_t coordinator = 0;                                ///< the node whose requests are looked at
  sim::Duration epoch = sim::Duration::from_ps(1'000'000'000);  ///< after which the hottest keys are told anew
  std::uint64_t sample_every = 4;                               ///< requests of which one is counted, on average
  std::optional<std::uint64_t> counters;  ///< of the coordinator's sketch; 16 for each key that a cache holds, if null
  double margin = 0.5;                    ///< by how much a key must be hotter than the one whose place it takes
  std::uint64_t changes_at_once = 16;     ///< changes of keys under way
  sim::Duration sample_work = sim::Duration::from_ps(20'000);  ///< CPU time of a cache thread to count a request

  /// In the sketch of a coordinator whose caches hold so many keys. About as many as it takes with Zipf popularity: the
  /// sketch's doubt is the requests over the counters, and the last of k of n keys has about 1 in k ln(n) of them.
  std::uint64_t counters_for(std::uint64_t keys) const { return counters.value_or(16 * keys); }
  /// What learning takes of the memory of the machine that simulates it, about.
  std::uint64_t learning_bytes(std::uint64_t nodes, std::uint64_t keys) const {
    constexpr std::uint64_t kPart = 48, kCounter = 64;  // with their places in the maps
    return nodes * keys * kPart + counters_for(keys) * kCounter;
  }

  void declare_hot_set(sim::Parameters& p);
  /// Throws sim::OptionError when the options do not fit the rack or the others.
  void check(const models::Rack& rack, const NodeOptions& nodes, const CacheOptions& cache) const;
};

}  // namespace racksim::cckvs
