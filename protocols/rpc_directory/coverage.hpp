// The races of the RPC directory that a run can meet, by the comment that answers them. What a line can go through at
// its home and at a node are the rows of two transition tables.
#pragma once

#include <cstdint>

#include "sim/record/coverage.hpp"

namespace racksim::rpc_directory {

/// The names are in coverage.cpp, in this order.
enum class RacePoint : std::uint8_t {
  eviction_meets_invalidation,  ///< the home's copyset still names who has evicted
  eviction_meets_copy_request,  ///< the owner has written the page back: the home will grant it
  owner_asks_again,             ///< its request has overtaken its eviction
  sharer_asks_again,            ///< the same of a share, whose notice is stale then
  requester_evicts_first,       ///< what it got from an owner, before that owner's notice is there
  message_before_page,          ///< it is about the copy that the node is asking for
  upgrade_loses_share,          ///< another writer came first
  victim_in_use_again,          ///< between being chosen and being evicted
  misses_merged,                ///< a thread waits for another's request
  count
};

/// What the RPC directory declares when it registers.
sim::CoverageMap coverage_map();

}  // namespace racksim::rpc_directory
