// What does not fit is refused. See cache_location.hpp.
#include "protocols/switch_cache/cache_location.hpp"

#include <fmt/core.h>

#include <set>

#include "models/switch/switch_chassis.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::switch_cache {

using models::NodeId;

CacheLocation::CacheLocation(const store::Shared& shared)
    : shared_(shared), switch_(shared.rack.switch_of(shared.node_of(0))) {
  refuse_other_racks();
  refuse_other_pipes();
  for (unsigned server = 0; server < shared.servers(); ++server) {
    pipe_of_server_.push_back(chassis().pipe_of(shared.rack.port_of(shared.node_of(server))));
  }
  const std::set<unsigned> used(pipe_of_server_.begin(), pipe_of_server_.end());
  pipes_.assign(used.begin(), used.end());
}

void CacheLocation::refuse_other_racks() const {
  const models::Rack& rack = shared_.rack;
  for (NodeId node = shared_.node_of(0); node < rack.nodes(); ++node) {
    if (rack.switch_of(node) == switch_) continue;
    throw sim::OptionError(
        "/rack/topology/last_rack",
        fmt::format("node {} on the switch {} and node {} on {}, both with servers", shared_.node_of(0),
                    rack.chassis(switch_).name(), node, rack.chassis(rack.switch_of(node)).name()),
        "all servers in one rack, whose switch alone caches their items (StarCache §3.9)");
  }
}

void CacheLocation::refuse_other_pipes() const {
  const models::Rack& rack = shared_.rack;
  const auto expected = fmt::format(
      "requests for a server to come by the pipe of its port, since each pipe has a cache of its own and cache packets "
      "circulate in one: {} (StarCache §3.10)",
      rack.switches() == 1 ? fmt::format("clients and servers on the {} ports of one pipe, or in different racks",
                                         rack.chassis(switch_).options().ports_per_pipe)
                           : "clients in other racks, and a link to the spine for each pipe that has servers");
  for (NodeId client = 0; client < shared_.client_nodes; ++client) {
    for (NodeId server = shared_.node_of(0); server < rack.nodes(); ++server) {
      const unsigned by = rack.topology().route(client, server).back().arrives_by;
      const unsigned comes = rack.chassis(switch_).pipe_of(by),
                     circulates = rack.chassis(switch_).pipe_of(rack.port_of(server));
      if (comes == circulates) continue;
      throw sim::OptionError(
          rack.switches() == 1 ? "/rack/nodes" : "/rack/topology",
          fmt::format(
              "node {}, whose requests for node {} come to {} by another pipe of the switch, {}, than the cache "
              "packets circulate in, {}",
              client, server, rack.switches() == 1 ? "it" : rack.chassis(switch_).name(), comes, circulates),
          expected);
    }
  }
}

}  // namespace racksim::switch_cache
