// Times that are shorter than a packet's way. See contradictions.hpp.
#include "tools/scenario/contradictions.hpp"

#include <fmt/core.h>

#include <optional>

#include "models/rack/idle_path.hpp"
#include "p4model/language/program.hpp"

namespace racksim::tools {
namespace {

/// A published round trip and the sum of calibrated constants are not the same to the last nanosecond.
constexpr double kTolerance = 0.01;
/// A round trip that is longer than the idle path allows for load; one that is so much longer is another rack's.
constexpr double kMost = 2;

/// Nothing if the switch has no room for any program, which the run will say.
std::optional<sim::Duration> idle_path_of(const models::RackOptions& rack) {
  try {
    return models::idle_round_trip(rack);
  } catch (const p4::ProgramError&) {
    return std::nullopt;
  }
}

std::string sentence(const std::string& what, sim::Duration given, sim::Duration idle) {
  return fmt::format(
      "{} {:.0f} ns, but by the constants of link, switch and NIC a message and its answer take {:.0f} ns", what,
      given.ns(), idle.ns());
}

}  // namespace

std::vector<std::string> contradictions(const models::RackOptions& rack) {
  std::vector<std::string> found;
  const std::optional<sim::Duration> idle = idle_path_of(rack);
  if (!idle) return found;
  if (rack.rtt.ns() < idle->ns() * (1 - kTolerance) || rack.rtt.ns() > idle->ns() * kMost) {
    found.push_back(sentence("rtt is", rack.rtt, *idle));
  }
  if (rack.nic.rc_retransmission_timeout < *idle) {
    found.push_back(sentence("nic.rc_retransmission_timeout is", rack.nic.rc_retransmission_timeout, *idle));
  }
  return found;
}

std::vector<std::string> contradictions(const Scenario& scenario) {
  const models::RackOptions& rack = *scenario.rack.options;
  std::vector<std::string> found = contradictions(rack);
  const sim::Duration timeout = scenario.protocol.options->longest_timeout(rack);
  const std::optional<sim::Duration> idle = idle_path_of(rack);
  if (idle && timeout > sim::Duration{} && timeout < *idle) {
    found.push_back(sentence(scenario.protocol.name + " waits for an answer", timeout, *idle));
  }
  return found;
}

}  // namespace racksim::tools
