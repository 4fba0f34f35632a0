// What the rigs of the protocols' tests have in common when they judge a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/rack/rack.hpp"
#include "sim/oracles/conservation_oracle.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::testing {

/// Nothing if each packet that was made is somewhere.
inline std::optional<sim::Violation> packet_balance(models::Rack& rack) {
  const models::PacketCensus& census = rack.census();
  return sim::check_conservation({census.created(), census.copied(), census.delivered(), census.absorbed(),
                                  census.dropped(), rack.packets_in_flight()},
                                 rack.calendar().now());
}

/// The first violation of each oracle and that of the balance, one a line; empty when all is well.
inline std::string first_violations(const std::vector<sim::Oracle*>& oracles,
                                    const std::optional<sim::Violation>& balance) {
  std::string text;
  for (const sim::Oracle* oracle : oracles) {
    if (oracle->violation_count() == 0) continue;
    text += oracle->violations().front().oracle + ": " + oracle->violations().front().what + "\n";
  }
  if (balance) text += balance->what + "\n";
  return text;
}

}  // namespace racksim::testing
