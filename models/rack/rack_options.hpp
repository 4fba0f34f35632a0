// Every constant of a rack: what a testbed file sets.
#pragma once

#include <cstdint>

#include "models/nic/nic_options.hpp"
#include "models/rack/roles.hpp"
#include "models/rack/topology_options.hpp"
#include "models/switch/switch_options.hpp"
#include "models/wire/wire_faults.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

/// How packets are framed on the wires between servers and switch.
enum class Framing : std::uint8_t { ethernet, infiniband };

struct RackOptions {
  std::uint64_t nodes = 8;
  RoleOptions roles;
  std::uint64_t cores = 24;  ///< of each server
  std::uint64_t core_hz = 2'200'000'000;
  std::uint64_t link_bits_per_second = 100'000'000'000;
  sim::Duration link_propagation = 10_ns;
  Framing link_framing = Framing::ethernet;
  /// The round-trip time that protocols derive their timeouts from. Of a testbed it is a published figure that holds for
  /// its link, switch and NIC; a scenario that has others and gives none moves it (idle_path.hpp).
  sim::Duration rtt = 2'200_ns;
  NicOptions nic;
  CpuCosts cpu;
  SwitchOptions network_switch;  ///< of each switch
  TopologyOptions topology;
  WireFaults faults;  ///< of every wire from the start; not declared: a scenario's faults have a schedule (faults.hpp)

  void declare(sim::Parameters& parameters);

  /// The servers that compute stay, and beside them there are so many memory servers; of 0, they hold memory themselves.
  void place_beside_compute_nodes(std::uint64_t memory_servers);
};

}  // namespace racksim::models
