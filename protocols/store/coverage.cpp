// The names of what can be covered. See coverage.hpp.
#include "protocols/store/coverage.hpp"

#include <array>

#include "protocols/store/client.hpp"

namespace racksim::store {

namespace {
constexpr std::array kRaces{
    "client: an answer to a request that is over",
    "client: a late answer comes before its request is sent again",
    "client: an answer about another key is corrected (§3.6)",
    "client: an answer whose packets are of different values",
    "client: a write that was refused is sent again",
    "server: a write that has taken effect is answered again",
    "server: a write that its client has given up",
    "server: packets of a write that its client has given up are forgotten",
    "server: a write of which some packets passed before its key was cached",
};
static_assert(kRaces.size() == static_cast<std::size_t>(RacePoint::count));
}  // namespace

sim::CoverageMap coverage_map() {
  sim::CoverageMap map;
  map.race_points.assign(kRaces.begin(), kRaces.end());
  return map;
}

}  // namespace racksim::store
