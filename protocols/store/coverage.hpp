// The races of the client-server application (StarCache §3.6, §3.9) that a run can exercise. StarCache declares them
// before its own.
#pragma once

#include <cstdint>

#include "sim/record/coverage.hpp"

namespace racksim::store {

/// A race, by the comment that names it. The names are in coverage.cpp, in this order.
enum class RacePoint : std::uint8_t {
  late_answer,
  answered_before_sending_again,
  collision,
  torn_item,
  write_refused,
  write_completed_before,
  write_given_up,
  half_a_write_forgotten,
  write_partly_before_insertion,
  count
};

/// Declared by a scheme whose switch has no state: these races and the rows of the client's table, and no pairs.
sim::CoverageMap coverage_map();

}  // namespace racksim::store
