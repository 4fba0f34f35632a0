// Declarations, and the graph that they come to. See topology_options.hpp.
#include "models/rack/topology_options.hpp"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <utility>

#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

constexpr const char* kSpine = "spine";

/// The ports of a switch that are free, which servers and links take in turn from its pipes.
class FreePorts {
 public:
  FreePorts(const SwitchOptions& options, std::uint64_t pipes) : options_(options), pipes_(pipes) {
    for (unsigned port = 0; port < options.ports; ++port) free_.insert(free_.end(), port);
  }

  /// The lowest free port of the next pipe, or of the whole switch if that has none; nothing if there is none at all.
  std::optional<unsigned> lowest() {
    const auto [first, last] = pipe(taken_low_++);
    auto port = free_.lower_bound(first);
    if (port == free_.end() || *port >= last) port = free_.begin();
    return take(port);
  }
  /// The highest free port of the next pipe.
  std::optional<unsigned> highest() {
    const auto [first, last] = pipe(taken_high_++);
    auto port = free_.lower_bound(last);
    if (port == free_.begin()) return std::nullopt;
    --port;
    return *port < first ? std::nullopt : take(port);
  }

 private:
  std::pair<unsigned, unsigned> pipe(std::uint64_t turn) const {
    const auto first = static_cast<unsigned>(turn % pipes_ * options_.ports_per_pipe);
    return {first, first + static_cast<unsigned>(options_.ports_per_pipe)};
  }
  std::optional<unsigned> take(std::set<unsigned>::iterator port) {
    if (port == free_.end()) return std::nullopt;
    const unsigned number = *port;
    free_.erase(port);
    return number;
  }

  const SwitchOptions& options_;
  std::uint64_t pipes_;
  std::set<unsigned> free_;
  std::uint64_t taken_low_ = 0, taken_high_ = 0;
};

}  // namespace

void TopologyOptions::declare(sim::Parameters& p) {
  p.integer("racks", racks, 1, 64,
            "Racks: of more than one each has a switch (tor0, tor1, ...), and these hang on a switch called spine.")
      .neutral(1);
  p.integer("last_rack", last_rack, 0, kMostNodes - 1,
            "Servers of the last rack; the others share what remains evenly. 0: the last rack shares too.")
      .neutral(0);
  p.integer("pipes", pipes, 1, 16,
            "Pipes of a switch over whose ports its servers, and its links to the spine, are spread in turn.")
      .neutral(1);
  p.integer("uplinks", uplinks, 0, 64, "Links from each rack's switch to the spine; 0: one for each of the pipes.")
      .neutral(0);
  p.rate("uplink_rate", uplink_bits_per_second, 1'000'000, 10'000'000'000'000,
         "Rate of each direction of a link to the spine.")
      .neutral(100'000'000'000);
  p.length("uplink_propagation", uplink_propagation, 0_ps, 1_ms,
           "Propagation delay of a link to the spine: 20 m at 5 ns/m, assumed.")
      .neutral(100_ns);
}

std::vector<std::uint64_t> TopologyOptions::servers_of_racks(std::uint64_t nodes) const {
  const std::uint64_t sharing = last_rack == 0 ? racks : racks - 1;
  if (sharing == 0 || nodes < last_rack + sharing) {
    throw sim::OptionError(last_rack == 0 ? "topology.racks" : "topology.last_rack",
                           last_rack == 0 ? fmt::format("{} racks", racks)
                                          : fmt::format("{} servers in the last of {} racks", last_rack, racks),
                           fmt::format("a server in each rack, of {} in all{}", nodes,
                                       sharing == 0 ? "; where there is one rack it has all" : ""));
  }
  const std::uint64_t shared = nodes - last_rack;
  std::vector<std::uint64_t> servers;
  for (std::uint64_t rack = 0; rack < sharing; ++rack) servers.push_back(shared / sharing + (rack < shared % sharing));
  if (last_rack != 0) servers.push_back(last_rack);
  return servers;
}

std::vector<std::string> TopologyOptions::switch_names() const {
  if (racks == 1) return {};
  std::vector<std::string> names;
  for (std::uint64_t rack = 0; rack < racks; ++rack) names.push_back(fmt::format("tor{}", rack));
  names.emplace_back(kSpine);
  return names;
}

std::vector<std::string> TopologyOptions::link_names() const {
  std::vector<std::string> names;
  for (const std::string& name : switch_names()) {
    if (name == kSpine) continue;
    for (std::uint64_t i = 0; i < links_of_a_rack(); ++i) names.push_back(fmt::format("{}-{}.{}", name, kSpine, i));
  }
  return names;
}

Topology TopologyOptions::build(std::uint64_t nodes, const Link& link, const SwitchOptions& switches) const {
  const std::uint64_t pipes_there = (switches.ports + switches.ports_per_pipe - 1) / switches.ports_per_pipe;
  if (pipes > pipes_there) {
    throw sim::OptionError("topology.pipes", fmt::format("{} pipes", pipes),
                           fmt::format("at most the {} of a switch with {} ports", pipes_there, switches.ports));
  }
  const std::vector<std::uint64_t> racks_servers = servers_of_racks(nodes);
  const auto ports_per_pipe = static_cast<unsigned>(switches.ports_per_pipe);
  Topology topology;
  for (std::uint64_t node = 0; node < nodes; ++node) topology.add_server();
  NodeId node = 0;
  const auto plug = [&](Topology::Vertex network_switch, std::uint64_t servers, FreePorts& free) {
    for (std::uint64_t i = 0; i < servers; ++i, ++node) {
      const auto port = free.lowest();
      if (!port) {
        throw sim::OptionError("nodes", fmt::format("{} servers", servers),
                               fmt::format("at most the {} ports of the switch", switches.ports));
      }
      topology.connect({topology.server(node), 0}, {network_switch, *port}, link);
    }
  };
  if (racks == 1) {
    FreePorts free(switches, pipes);
    plug(topology.add_switch(kLoneSwitch, ports_per_pipe), nodes, free);
    return topology;
  }
  const std::uint64_t links = links_of_a_rack();
  if (links * racks > switches.ports) {
    throw sim::OptionError("topology.racks", fmt::format("{} racks with {} links each to the spine", racks, links),
                           fmt::format("at most the {} ports of the spine", switches.ports));
  }
  std::vector<Topology::Vertex> tors;
  std::vector<FreePorts> free(racks, FreePorts(switches, pipes));
  std::vector<std::string> names = switch_names();
  names.pop_back();
  for (const std::string& name : names) tors.push_back(topology.add_switch(name, ports_per_pipe));
  const Topology::Vertex spine = topology.add_switch(kSpine);
  unsigned spine_port = 0;
  for (std::uint64_t rack = 0; rack < racks; ++rack) {
    for (std::uint64_t i = 0; i < links; ++i) {
      const auto port = free[rack].highest();
      if (!port) {
        throw sim::OptionError("topology.uplinks", fmt::format("{} links to the spine", links),
                               fmt::format("at most the {} ports of the {} pipes", pipes * ports_per_pipe, pipes));
      }
      topology.connect({tors[rack], *port}, {spine, spine_port++}, {uplink_bits_per_second, uplink_propagation});
    }
  }
  for (std::uint64_t rack = 0; rack < racks; ++rack) plug(tors[rack], racks_servers[rack], free[rack]);
  return topology;
}

}  // namespace racksim::models
