// Groups and entries. See clone_tables.hpp.
#include "protocols/starcache/clone_tables.hpp"

#include <array>

#include "models/packets/addressing.hpp"
#include "models/switch/control_cpu.hpp"

namespace racksim::starcache {

using models::NodeId;

void fill_clone_tables(store::Shared& shared, unsigned network_switch, const std::vector<unsigned>& pipes,
                       const StarProgram& program) {
  models::SwitchChassis& chassis = shared.rack.chassis(network_switch);
  std::uint16_t group = 0;
  for (const unsigned pipe : pipes) {
    const auto recirculation = static_cast<std::uint16_t>(chassis.recirculation_port(pipe));
    const auto add = [&](NodeId node, unsigned port) {
      ++group;
      chassis.replication().set_group(group, {{0, {static_cast<std::uint16_t>(port), recirculation}}});
      const std::array<std::uint64_t, 1> key{models::ipv4_of(node)};
      const std::array<std::uint64_t, 2> data{group, models::mac_of(node)};
      chassis.pipeline(pipe).add_entry(*program.clone, key, *program.clone_to, data);
    };
    for (NodeId node = 0; node < shared.client_nodes; ++node) {
      add(node, shared.rack.port_towards(network_switch, pipe, node));
    }
    add(shared.rack.control_cpu(network_switch).node(), chassis.cpu_port());
  }
}

}  // namespace racksim::starcache
