// See membership_options.hpp.
#include "models/membership/membership_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/options/option_error.hpp"

namespace racksim::models {

void MembershipOptions::declare(sim::Parameters& p, std::string_view without_leases, std::string_view without_cuts) {
  using sim::Duration;
  const Duration most = Duration::from_ps(1'000'000'000'000);
  p.length("membership.lease", lease, Duration::from_ps(1000), most,
           "for how long a node is a member without asking again; longer than two round trips")
      .estimate("chosen")
      .neutral(lease);
  p.length("membership.latency", latency, Duration{}, most, "one way over the management network")
      .estimate("half a round trip of kernel sockets within a rack")
      .neutral(latency);
  p.real("membership.slowest_clock", slowest_clock, 1, 1000,
         "so many times as long as it should a member's clock may take for a lease; the manager waits so long")
      .estimate("our choice: many times what a quartz clock is off")
      .neutral(slowest_clock);
  auto leases =
      p.flag("membership.heed_leases", heed_leases, "a node whose lease is over uses nothing that it has cached")
          .neutral(true);
  if (!without_leases.empty()) leases.guards("a node that is taken for dead goes on using its copies", without_leases);
  auto cuts =
      p.flag("membership.cut_queue_pairs", cut_queue_pairs,
             "everybody cuts the queue pairs to a node that is taken for dead before anything of its is touched")
          .neutral(true);
  if (!without_cuts.empty()) cuts.guards("what a node sent before it was taken for dead arrives later", without_cuts);
}

// As long as the member's own clock, if it is slow, may take for the lease.
sim::Duration MembershipOptions::patience() const {
  return sim::Duration::from_ps(static_cast<std::int64_t>(static_cast<double>(lease.ps()) * slowest_clock));
}

void MembershipOptions::check(sim::Duration rtt) const {
  const sim::Duration least = std::max(rtt * 2, latency * 4);
  if (lease > least) return;
  throw sim::OptionError("membership.lease", fmt::format("{} ns", lease.ns()),
                         fmt::format("more than {} ns, two round trips of either network", least.ns()));
}

}  // namespace racksim::models
