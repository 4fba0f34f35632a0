// The races of GAM that a run can meet, by the comment that answers them. What a line can go through at its home and in
// a cache are the rows of two transition tables.
#pragma once

#include "sim/record/coverage.hpp"

namespace racksim::gam {

struct Races : sim::RacePoints {
  /// The copy comes from its old owner, the invalidation from the home.
  sim::RacePoint invalidation_overtakes_copy = add("an invalidation overtakes its copy");
  /// The home's list still names who has evicted.
  sim::RacePoint invalidation_meets_eviction = add("an invalidation meets an eviction");
  /// The owner-to-be is told to give what it has not got yet.
  sim::RacePoint forward_overtakes_line = add("a forward overtakes its line");
  /// The owner is writing the line back.
  sim::RacePoint forward_meets_eviction = add("a forward meets an eviction");
  /// The home has forwarded to who evicts.
  sim::RacePoint write_back_meets_transition = add("a write-back meets a transition");
  /// Of a thread at the node, or at the home.
  sim::RacePoint message_meets_lock = add("a message meets a lock");
  sim::RacePoint request_meets_home_lock = add("a request meets the home's lock");
  /// Another writer came first.
  sim::RacePoint upgrade_loses_copy = add("an upgrade loses its copy");
  /// The home has forgotten the copy.
  sim::RacePoint upgrade_granted_as_write = add("an upgrade is granted as a write");
  /// Before the old owner's data.
  sim::RacePoint grant_ack_first = add("a grant-ack comes before the data");
  /// Of sharers, for one try.
  sim::RacePoint second_denial = add("a second sharer denies a try");
  /// Of a shared lock, beside others that are shared; somebody waits for it alone.
  sim::RacePoint try_passes_waiter = add("a try-lock is granted past who waits");
  /// All lines are in transition, locked or waited for.
  sim::RacePoint nothing_to_evict = add("a cache above its threshold has nothing to evict");
  /// The home has asked it for the line.
  sim::RacePoint awaited_owner_dies = add("an owner dies whose line its home awaits");
  sim::RacePoint transfer_to_nobody = add("an owner transfers a line to a node that is dead");
};
inline constexpr Races races{};

}  // namespace racksim::gam
