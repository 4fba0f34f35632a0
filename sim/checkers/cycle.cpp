// Boost.Graph on order edges. See cycle.hpp.
#include "sim/checkers/cycle.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <utility>

namespace racksim::sim::checkers {
namespace {

/// Its edges know their place in the list that they come from.
using OrderGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, std::size_t>;

OrderGraph graph_of(std::size_t nodes, std::span<const OrderEdge> edges) {
  const auto ends = [](const OrderEdge& edge) { return std::pair{edge.from, edge.to}; };
  return {boost::edges_are_unsorted_multi_pass, boost::make_transform_iterator(edges.begin(), ends),
          boost::make_transform_iterator(edges.end(), ends), boost::counting_iterator<std::size_t>(0), nodes};
}

}  // namespace

std::vector<OrderEdge> find_cycle(std::size_t nodes, std::span<const OrderEdge> edges) {
  const OrderGraph graph = graph_of(nodes, edges);
  const auto by_node = [&](auto& values) {
    return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, graph));
  };
  std::vector<std::size_t> component(nodes);
  boost::strong_components(graph, by_node(component));
  const auto on_cycle = std::find_if(edges.begin(), edges.end(),
                                     [&](const OrderEdge& edge) { return component[edge.from] == component[edge.to]; });
  if (on_cycle == edges.end()) return {};

  // The shortest way from its end back to its beginning closes the cycle.
  std::vector<boost::graph_traits<OrderGraph>::edge_descriptor> reached_by(nodes);
  const auto recorder = boost::record_edge_predecessors(by_node(reached_by), boost::on_tree_edge());
  boost::breadth_first_search(graph, on_cycle->to, boost::visitor(boost::make_bfs_visitor(recorder)));
  std::vector<OrderEdge> cycle;
  for (auto node = on_cycle->from; node != on_cycle->to; node = cycle.back().from) {
    cycle.push_back(edges[graph[reached_by[node]]]);
  }
  cycle.push_back(*on_cycle);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace racksim::sim::checkers
