// The races of the client-server application (StarCache §3.6, §3.9) that a run can exercise. Schemes with a cache in
// the switch declare theirs behind them.
#pragma once

#include "sim/record/coverage.hpp"

namespace racksim::store {

struct Races : sim::RacePoints {
  sim::RacePoint late_answer = add("client: an answer to a request that is over");
  sim::RacePoint answered_before_sending_again = add("client: a late answer comes before its request is sent again");
  sim::RacePoint collision = add("client: an answer about another key is corrected (§3.6)");
  sim::RacePoint torn_item = add("client: an answer whose packets are of different values");
  sim::RacePoint write_refused = add("client: a write that was refused is sent again");
  sim::RacePoint write_completed_before = add("server: a write that has taken effect is answered again");
  sim::RacePoint write_given_up = add("server: a write that its client has given up");
  sim::RacePoint half_a_write_forgotten = add("server: packets of a write that its client has given up are forgotten");
  sim::RacePoint write_partly_before_insertion =
      add("server: a write of which some packets passed before its key was cached");
};
inline constexpr Races races{};

/// Declared by a scheme whose switch has no state: these races, and no pairs.
inline sim::CoverageMap coverage_map() {
  sim::CoverageMap map;
  map.race_points = races.names();
  return map;
}

}  // namespace racksim::store
