// Building the graph and routing through it. See topology.hpp.
#include "models/rack/topology.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <limits>
#include <stdexcept>

namespace racksim::models {

// A vertex is a device, known by its name.
using DevicesAndLinks = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, std::string, Link>;
struct Topology::Graph : DevicesAndLinks {};

Topology::Topology() : graph_(std::make_unique<Graph>()) {}
Topology::Topology(Topology&&) noexcept = default;
Topology& Topology::operator=(Topology&&) noexcept = default;
Topology::~Topology() = default;

Topology Topology::star(std::size_t servers, const Link& link) {
  Topology topology;
  for (std::size_t i = 0; i < servers; ++i) topology.add_server();
  const auto centre = topology.add_switch("switch");
  for (std::size_t i = 0; i < servers; ++i) topology.connect(topology.server(static_cast<NodeId>(i)), centre, link);
  return topology;
}

Topology::Vertex Topology::add_server() {
  const auto node = static_cast<NodeId>(servers_.size());
  servers_.push_back(boost::add_vertex(fmt::format("node{}", node), *graph_));
  return servers_.back();
}

Topology::Vertex Topology::add_switch(const std::string& name) {
  return boost::add_vertex(name, *graph_);
}

void Topology::connect(Vertex a, Vertex b, const Link& link) {
  if (a == b) throw std::runtime_error(fmt::format("{} cannot be linked to itself", name(a)));
  boost::add_edge(a, b, link, *graph_);
}

const std::string& Topology::name(Vertex device) const {
  return (*graph_)[device];
}

const Link& Topology::link(Vertex a, Vertex b) const {
  const auto [edge, linked] = boost::edge(a, b, *graph_);
  if (!linked) throw std::out_of_range(fmt::format("{} is not linked to {}", name(a), name(b)));
  return (*graph_)[edge];
}

std::vector<Topology::Vertex> Topology::neighbours(Vertex device) const {
  std::vector<Vertex> result;
  for (const auto edge : boost::make_iterator_range(boost::out_edges(device, *graph_))) {
    result.push_back(boost::target(edge, *graph_));
  }
  return result;
}

std::vector<unsigned> Topology::ports_towards_servers(Vertex device) const {
  // One picosecond a link breaks ties between equally long routes in favour of fewer links.
  const DevicesAndLinks& graph = *graph_;
  std::vector<std::int64_t> distance(boost::num_vertices(graph));
  const auto weight = boost::make_function_property_map<Graph::edge_descriptor>(
      [&graph](const Graph::edge_descriptor& edge) { return graph[edge].propagation.ps() + 1; });
  constexpr auto kFar = std::numeric_limits<std::int64_t>::max();
  std::vector<unsigned> ports;
  const auto adjacent = neighbours(device);
  for (const auto server : servers_) {
    // The graph is undirected: distances from the server are distances to it.
    boost::dijkstra_shortest_paths(
        graph, server,
        boost::distance_map(boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, graph)))
            .weight_map(weight)
            .distance_inf(kFar));
    if (distance[device] == kFar) {
      throw std::runtime_error(fmt::format("there is no route from {} to {}", name(device), name(server)));
    }
    unsigned best = 0;
    auto least = kFar;
    unsigned port = 0;
    for (const auto edge : boost::make_iterator_range(boost::out_edges(device, graph))) {
      const auto via = distance[adjacent[port]] + graph[edge].propagation.ps() + 1;
      if (via < least) {
        least = via;
        best = port;
      }
      ++port;
    }
    ports.push_back(server == device ? 0 : best);
  }
  return ports;
}

}  // namespace racksim::models
