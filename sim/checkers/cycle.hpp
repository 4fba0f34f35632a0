// A cycle in a directed graph, if there is one: an edge lies on a cycle exactly if both its ends lie in one strongly
// connected component (Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1(2), 1972).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace racksim::sim::checkers {

/// "`from` comes before `to`", because of these two operations if they are given.
struct OrderEdge {
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t earlier = kNone;
  std::size_t later = kNone;
};

/// The edges of a cycle, in its direction: none is shorter among the cycles through the first edge in `edges` that lies
/// on any. Nothing if there is no cycle. Nodes are 0 to `nodes` - 1. Time and memory: linear in nodes plus edges.
std::vector<OrderEdge> find_cycle(std::size_t nodes, std::span<const OrderEdge> edges);

}  // namespace racksim::sim::checkers
