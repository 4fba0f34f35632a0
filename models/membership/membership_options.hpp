// The options of membership (membership.hpp): how long a lease is, and how far away the manager.
#pragma once

#include <string_view>

#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

struct MembershipOptions {
  sim::Duration lease = sim::Duration::from_ps(1'000'000'000);
  sim::Duration latency = sim::Duration::from_ps(5'000'000);
  double slowest_clock = 1.001;
  bool heed_leases = true, cut_queue_pairs = true;

  /// As `membership.` options of whoever has members. With the regressions that show what goes wrong in a protocol where
  /// leases are not heeded, and where queue pairs are not cut; empty where nothing does.
  void declare(sim::Parameters& p, std::string_view without_leases = {}, std::string_view without_cuts = {});
  /// Throws sim::OptionError, at `lease`, for one that is no longer than two round trips of the data network, or of the
  /// management network, which a renewal takes.
  void check(sim::Duration rtt) const;
  /// For how long the manager takes a member that does not ask to have its lease still.
  sim::Duration patience() const;
  /// How often it looks for leases that are over.
  sim::Duration interval() const { return lease / 4; }
};

}  // namespace racksim::models
