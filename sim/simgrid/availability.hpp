// Availability profiles of hosts: when a server goes off and comes back on.
#pragma once

#include <string>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// A host goes off or comes back on.
struct PowerChange {
  Time at;
  bool on;
};

/// Throws std::runtime_error, naming the host, unless the changes go off and on in turns, first off, at strictly
/// increasing instants after 0.
void check_availability(const std::string& host, const std::vector<PowerChange>& availability);

/// One entry of a SimGrid profile: `delay` seconds after the previous one, the host goes on (1) or off (0).
struct ProfileEntry {
  double delay;
  double state;
};

/// The same as a SimGrid profile. SimGrid adds the delays up in doubles; the sums arrive at each instant's nearest
/// double bit for bit, or hosts that change at one instant would change in different steps. Some entries repeat a
/// state.
std::vector<ProfileEntry> profile_entries(const std::vector<PowerChange>& availability);

}  // namespace racksim::sim
