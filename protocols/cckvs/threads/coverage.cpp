// The names of the races. See coverage.hpp.
#include "protocols/cckvs/threads/coverage.hpp"

#include <array>

#include "protocols/cckvs/keys/tables.hpp"

namespace racksim::cckvs {

namespace {
constexpr std::array kRaces{"a read of the store meets a write",  "a request waits for a credit",
                            "a read of a cache meets a write",    "a message waits for a credit",
                            "an operation meets a put under way", "a put loses to another"};
static_assert(kRaces.size() == static_cast<std::size_t>(RacePoint::count));
}  // namespace

sim::CoverageMap store_coverage_map() {
  sim::CoverageMap map;
  map.race_points.assign(kRaces.begin(), kRaces.begin() + static_cast<std::ptrdiff_t>(RacePoint::count_of_store));
  return map;
}

sim::CoverageMap coverage_map() {
  sim::CoverageMap map;
  map.race_points.assign(kRaces.begin(), kRaces.end());
  return map;
}

}  // namespace racksim::cckvs
