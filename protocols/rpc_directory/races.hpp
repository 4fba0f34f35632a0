// The races of the RPC directory that a run can meet, by the comment that answers them. What a line can go through at
// its home and at a node are the rows of two transition tables.
#pragma once

#include "sim/record/coverage.hpp"

namespace racksim::rpc_directory {

struct Races : sim::RacePoints {
  /// The home's copyset still names who has evicted.
  sim::RacePoint eviction_meets_invalidation = add("an invalidation meets an eviction");
  /// The owner has written the page back: the home will grant it.
  sim::RacePoint eviction_meets_copy_request = add("a copy request meets an eviction");
  /// Its request has overtaken its eviction.
  sim::RacePoint owner_asks_again = add("an owner asks again before its eviction is known");
  /// The same of a share, whose notice is stale then.
  sim::RacePoint sharer_asks_again = add("a sharer asks again before its eviction is known");
  /// What it got from an owner, before that owner's notice is there.
  sim::RacePoint requester_evicts_first = add("a copy is evicted before its giver's notice");
  /// It is about the copy that the node is asking for.
  sim::RacePoint message_before_page = add("a message comes before its page");
  /// Another writer came first.
  sim::RacePoint upgrade_loses_share = add("an upgrade loses its share");
  /// Between being chosen and being evicted.
  sim::RacePoint victim_in_use_again = add("a victim is in use again");
  sim::RacePoint misses_merged = add("a thread waits for another's request");
};
inline constexpr Races races{};

}  // namespace racksim::rpc_directory
