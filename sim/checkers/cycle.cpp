#include "sim/checkers/cycle.hpp"

#include <algorithm>

namespace racksim::sim::checkers {

std::vector<OrderEdge> find_cycle(std::size_t nodes, std::vector<OrderEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(), [](const OrderEdge& a, const OrderEdge& b) { return a.from < b.from; });
  std::vector<std::size_t> first(nodes + 1, 0);  // of each node's edges
  std::vector<std::size_t> leading_here(nodes, 0);
  for (const auto& edge : edges) {
    ++first[edge.from + 1];
    ++leading_here[edge.to];
  }
  for (std::size_t n = 0; n < nodes; ++n) first[n + 1] += first[n];

  std::vector<std::size_t> free;
  for (std::size_t n = 0; n < nodes; ++n) {
    if (leading_here[n] == 0) free.push_back(n);
  }
  for (std::size_t done = 0; done < free.size(); ++done) {
    for (auto e = first[free[done]]; e < first[free[done] + 1]; ++e) {
      if (--leading_here[edges[e].to] == 0) free.push_back(edges[e].to);
    }
  }
  if (free.size() == nodes) return {};

  // Something that is left leads to each node that is left: going back for long enough ends on a cycle.
  const auto is_left = [&](std::size_t node) { return leading_here[node] > 0; };
  std::vector<std::size_t> back(nodes, 0);
  std::size_t node = 0;
  for (const auto& edge : edges) {
    if (!is_left(edge.from) || !is_left(edge.to)) continue;
    back[edge.to] = edge.from;
    node = edge.to;
  }
  for (std::size_t i = 0; i < nodes; ++i) node = back[node];

  std::vector<std::size_t> reached_by(nodes, OrderEdge::kNone);  // edge
  std::vector<std::size_t> reached{node};
  for (std::size_t done = 0; reached_by[node] == OrderEdge::kNone; ++done) {
    for (auto e = first[reached[done]]; e < first[reached[done] + 1]; ++e) {
      const auto to = edges[e].to;
      if (!is_left(to) || reached_by[to] != OrderEdge::kNone) continue;
      reached_by[to] = e;
      reached.push_back(to);
    }
  }
  std::vector<OrderEdge> cycle;
  auto at = node;
  do {
    cycle.push_back(edges[reached_by[at]]);
    at = cycle.back().from;
  } while (at != node);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace racksim::sim::checkers
