// The graph of servers, switches and the links between them, and the shortest routes through it (Boost.Graph).
//
// Everything that depends on who is connected to whom is derived from here: wires, ports and forwarding tables.
//
// A switch may have several pipes, of which each owns some of its ports. To a route they are places of their own: among
// routes that are equally long one that changes pipes inside the switches less often is taken, so that several links to
// one switch are used by the pipes behind them (StarCache §3.10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

/// The name of the switch of a rack that has one.
inline constexpr const char* kLoneSwitch = "switch";

/// A full-duplex link.
struct Link {
  std::uint64_t bits_per_second = 100'000'000'000;
  sim::Duration propagation;
};

class Topology {
 public:
  /// A server or a switch.
  using Vertex = std::size_t;

  /// One end of a link.
  struct Port {
    Vertex device = 0;
    unsigned number = 0;
  };
  /// A link with its ends, in the order in which they were given.
  struct Cable {
    Port a, b;
    Link link;
  };
  /// A switch that a packet passes, and the ports by which it comes and goes.
  struct Hop {
    Vertex network_switch = 0;
    unsigned arrives_by = 0, leaves_by = 0;
  };

  Topology();
  Topology(Topology&&) noexcept;
  Topology& operator=(Topology&&) noexcept;
  ~Topology();

  /// `servers` servers (node ids from 0), each linked to one switch.
  static Topology star(std::size_t servers, const Link& link);

  /// Servers get node ids in the order of the calls.
  Vertex add_server();
  /// Port p belongs to pipe p / `ports_per_pipe`; of a switch with 0 it makes no difference which pipe a packet is in.
  Vertex add_switch(const std::string& name, unsigned ports_per_pipe = 0);
  /// Links two devices by the first port of each that is free. Throws std::runtime_error for a link from a device to
  /// itself.
  void connect(Vertex a, Vertex b, const Link& link);
  /// The same by these ports. Throws std::logic_error when one of them is taken.
  void connect(Port a, Port b, const Link& link);

  std::size_t servers() const { return servers_.size(); }
  /// Throws std::out_of_range when there is no such server.
  Vertex server(NodeId node) const { return servers_.at(node); }

  /// In the order in which they were added.
  const std::vector<Vertex>& switches() const { return switches_; }
  bool is_switch(Vertex device) const { return devices_[device].is_switch; }

  /// "node0" and so on for servers.
  const std::string& name(Vertex device) const { return devices_[device].name; }
  /// Throws std::out_of_range when the two are not linked; of several links the first that was made.
  const Link& link(Vertex a, Vertex b) const;
  /// All links in the order in which they were made.
  const std::vector<Cable>& cables() const { return cables_; }
  /// A device's neighbours in the order of its ports.
  std::vector<Vertex> neighbours(Vertex device) const;
  /// What a server is linked to. Throws std::runtime_error when that is nothing.
  Port switch_port_of(NodeId node) const;
  /// The pipe of a port, among those of a switch that tell routes apart.
  unsigned pipe_of(Port port) const;

  /// For each server, the port of `device` that a shortest route to it leaves by, of a packet in its pipe `pipe`: least
  /// propagation, then fewest links, then fewest changes of pipes, then the lowest port. The device's own entry, if it
  /// is a server, is 0. Throws std::runtime_error when a server cannot be reached.
  std::vector<unsigned> ports_towards_servers(Vertex device, unsigned pipe = 0) const;
  /// The same of the way to the first pipe of another switch, which has the port of its control CPU.
  unsigned port_towards_switch(Vertex device, unsigned pipe, Vertex network_switch) const;
  /// The switches that a packet from one server to another passes.
  std::vector<Hop> route(NodeId from, NodeId to) const;

 private:
  // Boost.Graph, for topology.cpp alone: its headers take longer to compile than all that include this one.
  struct Graph;
  struct Device {
    std::string name;
    bool is_switch = false;
    unsigned ports_per_pipe = 0;
    std::vector<std::size_t> stations;  // its vertices in the graph, by pipe
    std::vector<std::size_t> ports;     // the cable of each port, or kFree
  };
  static constexpr std::size_t kFree = ~std::size_t{0};

  Vertex add_device(const std::string& name, unsigned ports_per_pipe);
  unsigned free_port(Vertex device) const;
  void occupy(const Port& port, std::size_t cable);
  std::size_t station_of(const Port& port) const { return devices_[port.device].stations[pipe_of(port)]; }
  /// The far end of a port's cable.
  Port across(const Port& port) const;
  /// Distances of all stations to one, found once.
  const std::vector<std::int64_t>& distances_to(std::size_t station) const;
  unsigned best_port(Vertex device, unsigned pipe, const std::vector<std::int64_t>& distance) const;

  std::unique_ptr<Graph> graph_;
  std::vector<Device> devices_;
  std::vector<Cable> cables_;
  std::vector<Vertex> servers_, switches_;
  mutable std::map<std::size_t, std::vector<std::int64_t>> distances_;  // by the station to which
};

}  // namespace racksim::models
