// See trace_room.hpp.
#include "tools/experiment/trace_room.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "sim/oracles/oracle.hpp"
#include "tools/files/write_file.hpp"

namespace racksim::tools {

std::uint64_t room_to_leave(std::uint64_t capacity) {
  return std::min(capacity / 20, std::uint64_t{1} << 30);
}

void TraceWithRoom::observe(const sim::Observation& observation) {
  try {
    JsonLinesTrace::observe(observation);
  } catch (const std::runtime_error&) {
    // Others may have filled the disk since the last look. That is nobody's defect.
    throw OutputError(
        fmt::format("{} could not be written: the disk is full at {}", file_, sim::printed(observation.at)));
  }
  if (++observations_ % kObservations != 0) return;
  const auto space = space_();
  const auto unknown = static_cast<std::uintmax_t>(-1);
  if (space.capacity == unknown || space.available >= room_to_leave(space.capacity)) return;
  throw OutputError(
      fmt::format("{} would fill its disk: {} of {} MiB are free at {}, {} are left to others; observe.trace_from and "
                  "observe.trace_until trace less",
                  file_, space.available >> 20, space.capacity >> 20, sim::printed(observation.at),
                  room_to_leave(space.capacity) >> 20));
}

}  // namespace racksim::tools
