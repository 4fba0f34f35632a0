// The runs behind a knee, each in a child process: a SimGrid engine exists once per process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/knee/knee_plan.hpp"

namespace racksim::tools {

/// The scenario at a load, with the overrides given over everything else.
using ScenarioAt = std::function<Scenario(const std::vector<std::string>& overrides)>;

/// Runs probes as the plan says. Throws, when one is run: InputError as `read_scenario` does, std::runtime_error with
/// the first violation of a run that fails, and Interrupted (interruption.hpp).
Probes probes_of(const KneePlan& plan, ScenarioAt scenario_at);

/// In words why a knee was not found: "already at 1000000 3.1 % is lost".
std::string why_not_found(const Knee& knee, Probes& probes, const KneeBounds& bounds);

}  // namespace racksim::tools
