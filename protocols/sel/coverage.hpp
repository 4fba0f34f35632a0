// The races of SEL that a run can meet.
#pragma once

#include <cstdint>

#include "sim/record/coverage.hpp"

namespace racksim::sel {

/// The names are in coverage.cpp, in this order.
enum class RacePoint : std::uint8_t {
  reader_meets_writer,   ///< it takes its bit away again
  writer_meets_readers,  ///< it tries again
  writer_meets_writer,   ///< likewise
  waits_for_turn,        ///< of its own node
  count
};

/// What SEL declares when it registers.
sim::CoverageMap coverage_map();

}  // namespace racksim::sel
