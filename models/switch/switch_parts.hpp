// What the parts of the switch that packets pass through have in common.
#pragma once

#include "models/packets/rack_context.hpp"
#include "models/switch/digest_channel.hpp"
#include "models/switch/pass_observer.hpp"
#include "models/switch/stepped_passes.hpp"
#include "models/switch/switch_counters.hpp"
#include "models/switch/switch_name.hpp"
#include "models/switch/switch_options.hpp"
#include "models/switch/switch_ports.hpp"
#include "models/switch/switch_power.hpp"
#include "models/switch/switch_timing.hpp"

namespace racksim::models {

/// Made by the chassis, to which all of it belongs, and handed to pipes, egress and idle passes.
struct SwitchParts {
  const SwitchName& name;
  RackContext& context;
  const SwitchOptions& options;
  const SwitchTiming& timing;
  const SwitchPorts& ports;
  SwitchPower& power;
  SteppedPasses& stepped;
  SwitchCounters& counters;
  DigestChannel& digests;
  const PassObservers& observers;
};

}  // namespace racksim::models
