// Declarations of a rack's constants. See rack_options.hpp.
#include "models/rack/rack_options.hpp"

#include <algorithm>

namespace racksim::models {

void RackOptions::place_beside_compute_nodes(std::uint64_t memory_servers) {
  const std::uint64_t computing = std::min(roles.compute.value_or(nodes), nodes);
  nodes = computing + memory_servers;
  roles = {};
  if (memory_servers == 0) return;
  roles.compute = computing;
  roles.memory = memory_servers;
}

void RackOptions::declare(sim::Parameters& p) {
  p.integer("nodes", nodes, 1, kMostNodes, "Servers in the rack, or in all racks together, each on one switch port.")
      .varied_from(2);
  p.object("roles", roles);
  p.integer("cpu.cores", cores, 1, 1024, "Cores of a server.");
  p.integer("cpu.clock", core_hz, 1'000'000, 10'000'000'000, "Clock of a core in Hz.");
  p.rate("link.rate", link_bits_per_second, 1'000'000, 10'000'000'000'000, "Rate of each direction of a link.");
  p.length("link.propagation", link_propagation, 0_ps, 1_ms, "Propagation delay of a link.");
  p.choice("link.framing", link_framing, {{"ethernet", Framing::ethernet}, {"infiniband", Framing::infiniband}},
           "What a packet has around its transport header: Ethernet, IPv4 and UDP (RoCE v2), or InfiniBand's own.")
      .neutral(Framing::ethernet);
  p.length("rtt", rtt, 1_ns, 1_s,
           "Round-trip time that protocols derive their timeouts from; moves with link, switch and NIC.");
  nic.declare(p);
  cpu.declare(p);
  network_switch.declare(p);
  p.object("topology", topology);
}

}  // namespace racksim::models
