// The races of ccKVS and its baselines that a run can meet, by what answers them. What a cached key can go through are
// the rows of two transition tables.
#pragma once

#include <cstdint>

#include "sim/record/coverage.hpp"

namespace racksim::cckvs {

/// The names are in coverage.cpp, in this order. Those of the store are the baselines' too.
enum class RacePoint : std::uint8_t {
  read_of_store_meets_write,  ///< of another thread of the node
  request_waits_for_credit,   ///< too many are at its KVS thread
  count_of_store,
  read_of_cache_meets_write = count_of_store,  ///< of another thread of the node, or a message
  message_waits_for_credit,                    ///< its receiver has returned too few
  operation_meets_put,                         ///< its key is Invalid or in Write
  put_loses,                                   ///< one with a greater timestamp has come before its end
  count
};

/// What the baselines declare when they register.
sim::CoverageMap store_coverage_map();
/// What ccKVS does.
sim::CoverageMap coverage_map();

}  // namespace racksim::cckvs
