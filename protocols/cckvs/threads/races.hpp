// The races of ccKVS and its baselines that a run can meet, by what answers them. What a cached key can go through are
// the rows of the transition tables.
#pragma once

#include "sim/record/coverage.hpp"

namespace racksim::cckvs {

/// Of the store, which the baselines have too.
struct StoreRaces : sim::RacePoints {
  sim::RacePoint read_of_store_meets_write =
      add("a read of the store meets a write");                                   ///< of another thread of the node
  sim::RacePoint request_waits_for_credit = add("a request waits for a credit");  ///< too many are at its KVS thread
  sim::RacePoint crowded_packet = add("a packet has more than 16 requests");      ///< which gathered for one KVS thread
};

struct Races : StoreRaces {
  sim::RacePoint read_of_cache_meets_write = add("a read of a cache meets a write");  ///< of a thread, or a message
  sim::RacePoint message_waits_for_credit = add("a message waits for a credit");  ///< its receiver has returned too few
  sim::RacePoint operation_meets_put = add("an operation meets a put under way");  ///< its key is Invalid or in Write
  sim::RacePoint put_loses = add("a put loses to another");  ///< one with a greater timestamp has come before its end
};
inline constexpr Races races{};

}  // namespace racksim::cckvs
