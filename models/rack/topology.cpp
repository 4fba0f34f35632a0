// Building the graph and routing through it. See topology.hpp.
#include "models/rack/topology.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>
#include <stdexcept>

namespace racksim::models {

namespace {

using Weight = boost::property<boost::edge_weight_t, std::int64_t>;
using Stations = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Weight>;

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
/// A change of pipes, and a picosecond of propagation. Fewer changes than this fit into a route.
constexpr std::int64_t kChange = 1, kPicosecond = 1024;

/// One picosecond a link breaks ties between equally long routes in favour of fewer links.
std::int64_t weight_of(const Link& link) {
  return (link.propagation.ps() + 1) * kPicosecond;
}

}  // namespace

// A vertex is a pipe of a switch, or a server.
struct Topology::Graph : Stations {};

Topology::Topology() : graph_(std::make_unique<Graph>()) {}
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;
Topology::~Topology() = default;

Topology Topology::star(std::size_t servers, const Link& link) {
  Topology topology;
  for (std::size_t i = 0; i < servers; ++i) topology.add_server();
  const auto centre = topology.add_switch(kLoneSwitch);
  for (std::size_t i = 0; i < servers; ++i) topology.connect(topology.server(static_cast<NodeId>(i)), centre, link);
  return topology;
}

Topology::Vertex Topology::add_device(const std::string& name, unsigned ports_per_pipe) {
  Device device;
  device.name = name;
  device.ports_per_pipe = ports_per_pipe;
  device.stations.push_back(boost::add_vertex(*graph_));
  devices_.push_back(std::move(device));
  distances_.clear();
  return devices_.size() - 1;
}

Topology::Vertex Topology::add_server() {
  servers_.push_back(add_device(fmt::format("node{}", servers_.size()), 0));
  return servers_.back();
}

Topology::Vertex Topology::add_switch(const std::string& name, unsigned ports_per_pipe) {
  switches_.push_back(add_device(name, ports_per_pipe));
  devices_.back().is_switch = true;
  return switches_.back();
}

unsigned Topology::free_port(Vertex device) const {
  const auto& ports = devices_[device].ports;
  return static_cast<unsigned>(std::find(ports.begin(), ports.end(), kFree) - ports.begin());
}

void Topology::connect(Vertex a, Vertex b, const Link& link) {
  if (a == b) throw std::runtime_error(fmt::format("{} cannot be linked to itself", name(a)));
  connect({a, free_port(a)}, {b, free_port(b)}, link);
}

void Topology::occupy(const Port& port, std::size_t cable) {
  Device& device = devices_[port.device];
  if (device.ports.size() <= port.number) device.ports.resize(port.number + 1, kFree);
  if (device.ports[port.number] != kFree) {
    throw std::logic_error(fmt::format("port {} of {} is taken", port.number, device.name));
  }
  device.ports[port.number] = cable;
  // Pipes are joined by the switch's traffic manager.
  while (device.stations.size() <= pipe_of(port)) {
    const std::size_t station = boost::add_vertex(*graph_);
    for (const std::size_t other : device.stations) boost::add_edge(other, station, Weight{kChange}, *graph_);
    device.stations.push_back(station);
  }
}

void Topology::connect(Port a, Port b, const Link& link) {
  occupy(a, cables_.size());
  occupy(b, cables_.size());
  cables_.push_back({a, b, link});
  distances_.clear();
  boost::add_edge(station_of(a), station_of(b), Weight{weight_of(link)}, *graph_);
}

unsigned Topology::pipe_of(Port port) const {
  const unsigned ports = devices_[port.device].ports_per_pipe;
  return ports == 0 ? 0 : port.number / ports;
}

Topology::Port Topology::across(const Port& port) const {
  const Cable& cable = cables_[devices_[port.device].ports[port.number]];
  return cable.a.device == port.device && cable.a.number == port.number ? cable.b : cable.a;
}

const Link& Topology::link(Vertex a, Vertex b) const {
  for (const Cable& cable : cables_) {
    if ((cable.a.device == a && cable.b.device == b) || (cable.a.device == b && cable.b.device == a)) return cable.link;
  }
  throw std::out_of_range(fmt::format("{} is not linked to {}", name(a), name(b)));
}

std::vector<Topology::Vertex> Topology::neighbours(Vertex device) const {
  std::vector<Vertex> result;
  const auto& ports = devices_[device].ports;
  for (unsigned port = 0; port < ports.size(); ++port) {
    if (ports[port] != kFree) result.push_back(across({device, port}).device);
  }
  return result;
}

Topology::Port Topology::switch_port_of(NodeId node) const {
  const Vertex device = server(node);
  if (devices_[device].ports.empty()) throw std::runtime_error(fmt::format("{} is linked to nothing", name(device)));
  return across({device, 0});
}

const std::vector<std::int64_t>& Topology::distances_to(std::size_t station) const {
  auto& distance = distances_[station];
  if (!distance.empty()) return distance;
  // The graph is undirected: distances from the station are distances to it.
  const Stations& graph = *graph_;
  distance.resize(boost::num_vertices(graph));
  boost::dijkstra_shortest_paths(
      graph, station,
      boost::distance_map(boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, graph)))
          .distance_inf(kFar));
  return distance;
}

unsigned Topology::best_port(Vertex device, unsigned pipe, const std::vector<std::int64_t>& distance) const {
  const auto& ports = devices_[device].ports;
  unsigned best = 0;
  std::int64_t least = kFar;
  for (unsigned port = 0; port < ports.size(); ++port) {
    if (ports[port] == kFree) continue;
    const std::int64_t beyond = distance[station_of(across({device, port}))];
    if (beyond == kFar) continue;
    const std::int64_t via =
        beyond + weight_of(cables_[ports[port]].link) + (pipe_of({device, port}) == pipe ? 0 : kChange);
    if (via >= least) continue;
    least = via;
    best = port;
  }
  return best;
}

std::vector<unsigned> Topology::ports_towards_servers(Vertex device, unsigned pipe) const {
  std::vector<unsigned> ports;
  std::map<std::size_t, unsigned> towards_stations;
  for (const Vertex server : servers_) {
    // All servers with one link to the same pipe of another switch are reached alike.
    const bool has_one_link = devices_[server].ports.size() == 1;
    const Port far = has_one_link ? across({server, 0}) : Port{};
    const std::size_t station = has_one_link ? station_of(far) : devices_[server].stations.front();
    if (distances_to(station)[devices_[device].stations.front()] == kFar) {
      throw std::runtime_error(fmt::format("there is no route from {} to {}", name(device), name(server)));
    }
    if (server == device) {
      ports.push_back(0);
    } else if (has_one_link && far.device == device) {
      ports.push_back(far.number);
    } else {
      const auto [found, is_new] = towards_stations.try_emplace(station);
      if (is_new) found->second = best_port(device, pipe, distances_to(station));
      ports.push_back(found->second);
    }
  }
  return ports;
}

unsigned Topology::port_towards_switch(Vertex device, unsigned pipe, Vertex network_switch) const {
  const auto& distance = distances_to(devices_[network_switch].stations.front());
  if (distance[devices_[device].stations.front()] == kFar) {
    throw std::runtime_error(fmt::format("there is no route from {} to {}", name(device), name(network_switch)));
  }
  return best_port(device, pipe, distance);
}

std::vector<Topology::Hop> Topology::route(NodeId from, NodeId to) const {
  std::vector<Hop> hops;
  const auto& distance = distances_to(devices_[server(to)].stations.front());
  for (Port at = switch_port_of(from); at.device != server(to);) {
    if (distance[station_of(at)] == kFar) {
      throw std::runtime_error(fmt::format("there is no route from {} to {}", name(server(from)), name(server(to))));
    }
    const unsigned leaves_by = best_port(at.device, pipe_of(at), distance);
    hops.push_back({at.device, at.number, leaves_by});
    at = across({at.device, leaves_by});
  }
  return hops;
}

}  // namespace racksim::models
