// A cycle in a directed graph, if there is one. Nodes are removed while nothing leads to them (Kahn, "Topological
// Sorting of Large Networks", CACM 5(11), 1962); what is left holds a cycle, and breadth-first search finds a short
// one.
#pragma once

#include <cstddef>
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

/// The edges of a cycle, in its direction, or nothing. Sorts `edges` by `from`. Time and memory: linear in nodes plus
/// edges, but for the sorting.
std::vector<OrderEdge> find_cycle(std::size_t nodes, std::vector<OrderEdge>& edges);

}  // namespace racksim::sim::checkers
