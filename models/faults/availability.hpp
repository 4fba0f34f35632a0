// Availability profiles: when a machine is on and when it is off, written as SimGrid's state profiles are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::models {

/// A time in which a machine is off.
struct Outage {
  sim::Duration from;   ///< counted from the beginning of the profile
  sim::Duration until;  ///< Duration::max() if it does not come back
  bool operator==(const Outage&) const = default;
};

/// Reads a profile: a line, or what stands between two semicolons, for each change: its time in seconds and 1 for on or
/// 0 for off ("0.0001 0; 0.0002 1"). Times rise, and a change to the state that is there changes nothing. A last line
/// "LOOPAFTER 0.001" begins the profile anew so many seconds after its last change, again and again until `length`.
/// Outages that begin at `length` or later are left out. Throws sim::OptionError of the option "profile".
std::vector<Outage> read_profile(std::string_view text, sim::Duration length);

/// The one form of what a profile says: "0.0001 0; 0.0002 1; LOOPAFTER 0.001". Throws as `read_profile`.
std::string canonical_profile(std::string_view text);

}  // namespace racksim::models
