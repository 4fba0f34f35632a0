// Options of ccKVS itself: the nodes', the rules of its caches, and how their messages are sent (ccKVS §4, §6.3, §6.4).
#pragma once

#include <cstdint>
#include <optional>

#include "protocols/cckvs/keys/rules.hpp"
#include "protocols/cckvs/threads/node_options.hpp"

namespace racksim::cckvs {

/// How a message goes to all other nodes (ccKVS §6.3).
enum class Broadcast : std::uint8_t {
  unicast,   ///< a list of work requests that share a payload
  multicast  ///< one, which the switch copies
};

struct CacheOptions {
  Rules rules;
  /// Of the keys that the workload tells to be the hottest, the first so many are cached; all, if not given.
  std::optional<std::uint64_t> cache_keys;
  bool unsafe_sessions = false;  ///< SC serves sessions that do not keep to a node too, which it does not hold for
  Broadcast broadcast = Broadcast::unicast;
  /// Messages of each class that a cache thread may have under way to one of another node.
  std::uint64_t consistency_credits = 60;
  std::uint64_t credit_batch = 30;  ///< messages for which credits are returned together
  sim::Duration retransmit_after = sim::Duration::from_ps(100'000'000);  ///< if rules.retransmit
  sim::Duration probe_work = sim::Duration::from_ps(15'000);  ///< to look a key up, and to read or write what is cached
  sim::Duration message_work = sim::Duration::from_ps(185'000);  ///< to apply a message to a cached object

  void declare_cache(sim::Parameters& p);
  /// Throws sim::OptionError when the options do not fit the rack or each other.
  void check(const models::Rack& rack, const NodeOptions& nodes) const;
};

}  // namespace racksim::cckvs
