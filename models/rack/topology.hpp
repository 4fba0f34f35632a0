// The rack's graph: servers, switches and the links between them, and the shortest routes through it (Boost.Graph).
//
// Everything that depends on who is connected to whom is derived from here: wires, ports and forwarding tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

/// A full-duplex link.
struct Link {
  std::uint64_t bits_per_second = 100'000'000'000;
  sim::Duration propagation;
};

class Topology {
 public:
  using Vertex = std::size_t;

  Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;
  ~Topology();

  /// `servers` servers (node ids from 0), each linked to one switch.
  static Topology star(std::size_t servers, const Link& link);

  /// Servers get node ids in the order of the calls.
  Vertex add_server();
  Vertex add_switch(const std::string& name);
  /// Throws std::runtime_error for a link from a device to itself.
  void connect(Vertex a, Vertex b, const Link& link);

  std::size_t servers() const { return servers_.size(); }
  /// Throws std::out_of_range when there is no such server.
  Vertex server(NodeId node) const { return servers_.at(node); }

  /// "node0" and so on for servers.
  const std::string& name(Vertex device) const;
  /// Throws std::out_of_range when the two are not linked.
  const Link& link(Vertex a, Vertex b) const;
  /// A device's neighbours in the order in which they were connected: the position is the port.
  std::vector<Vertex> neighbours(Vertex device) const;

  /// For each server, the port of `device` that a shortest route to it leaves by: least propagation, then fewest links,
  /// then the lowest port. The device's own entry, if it is a server, is 0. Throws std::runtime_error when a server
  /// cannot be reached.
  std::vector<unsigned> ports_towards_servers(Vertex device) const;

 private:
  // Boost.Graph, for topology.cpp alone: its headers take longer to compile than all that include this one.
  struct Graph;
  std::unique_ptr<Graph> graph_;
  std::vector<Vertex> servers_;
};

}  // namespace racksim::models
