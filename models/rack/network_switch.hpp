// A switch of the rack with its control CPU, and its place in the topology.
#pragma once

#include <utility>
#include <vector>

#include "models/rack/topology.hpp"
#include "models/switch/control_cpu.hpp"
#include "models/switch/switch_chassis.hpp"

namespace racksim::models {

struct NetworkSwitch {
  NetworkSwitch(RackContext& context, const SwitchOptions& options, SwitchName name, Topology::Vertex place)
      : chassis(context, options, std::move(name)), control_cpu(context, chassis), vertex(place) {}

  /// Whether packets in a pipe leave by the same ports as those in the first one.
  bool routes_like_first(unsigned pipe) const {
    return ports_to_servers[pipe] == ports_to_servers[0] && ports_to_control_cpus[pipe] == ports_to_control_cpus[0];
  }

  SwitchChassis chassis;
  ControlCpu control_cpu;
  Topology::Vertex vertex;
  // By pipe, for packets in that pipe: the port towards each server, and towards each switch's control CPU.
  std::vector<std::vector<unsigned>> ports_to_servers, ports_to_control_cpus;
};

}  // namespace racksim::models
