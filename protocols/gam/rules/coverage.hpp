// The races of GAM that a run can meet, by the comment that answers them. What a line can go through at its home and in
// a cache are the rows of two transition tables.
#pragma once

#include <cstdint>

#include "sim/record/coverage.hpp"

namespace racksim::gam {

/// The names are in coverage.cpp, in this order.
enum class RacePoint : std::uint8_t {
  invalidation_overtakes_copy,  ///< the copy comes from its old owner, the invalidation from the home
  invalidation_meets_eviction,  ///< the home's list still names who has evicted
  forward_overtakes_line,       ///< the owner-to-be is told to give what it has not got yet
  forward_meets_eviction,       ///< the owner is writing the line back
  write_back_meets_transition,  ///< the home has forwarded to who evicts
  message_meets_lock,           ///< of a thread at the node
  request_meets_home_lock,      ///< of a thread at the home
  upgrade_loses_copy,           ///< another writer came first
  upgrade_granted_as_write,     ///< the home has forgotten the copy
  grant_ack_first,              ///< before the old owner's data
  count
};

/// What GAM declares when it registers.
sim::CoverageMap coverage_map();

}  // namespace racksim::gam
