// Availability profiles, checked and rendered for SimGrid. See availability.hpp.
#include "sim/simgrid/availability.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::sim {

void check_availability(const std::string& host, const std::vector<PowerChange>& availability) {
  Time previous;
  bool on = true;
  for (const PowerChange& change : availability) {
    if (change.at <= previous || change.on == on) {
      throw std::runtime_error(
          fmt::format("the availability of host '{}' at {} ps: it must go off and on in turns, first off, at strictly "
                      "increasing instants after 0",
                      host, change.at.ps()));
    }
    previous = change.at;
    on = change.on;
  }
}

std::vector<ProfileEntry> profile_entries(const std::vector<PowerChange>& availability) {
  std::vector<ProfileEntry> entries;
  double date = 0.0;
  for (const PowerChange& change : availability) {
    const double goal = static_cast<double>(change.at.ps()) / 1e12;
    // A difference of doubles is exact when neither is more than twice the other: a longer way is interrupted.
    if (date > 0.0 && goal > 2 * date) {
      const double delay = 0.75 * goal - date;
      entries.push_back({delay, change.on ? 0.0 : 1.0});
      date += delay;
    }
    entries.push_back({goal - date, change.on ? 1.0 : 0.0});
    date = goal;
  }
  return entries;
}

}  // namespace racksim::sim
