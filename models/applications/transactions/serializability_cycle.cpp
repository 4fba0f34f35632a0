// The shortest cycle of the graph of transactions: strongly connected components (Tarjan, "Depth-First Search and Linear
// Graph Algorithms", SIAM J. Comput. 1(2), 1972), then a search from each transaction in one. See serializability.hpp.
#include <algorithm>
#include <deque>

#include "models/applications/transactions/serializability.hpp"

namespace racksim::app {

namespace {

/// Edges that the search for the shortest cycle looks at, at most: beyond, it is the shortest that was found. There is
/// none to look for where nothing is wrong.
constexpr std::uint64_t kMostLookedAt = 20'000'000;

}  // namespace

// By node: the number of its component, and kNone where that has one node. Without recursion.
std::vector<std::uint32_t> Serializability::components() const {
  std::vector<std::uint32_t> component(graph_nodes_, kNone), order(graph_nodes_, 0), low(graph_nodes_, 0), stack;
  std::vector<bool> on_stack(graph_nodes_, false);
  struct Visit {
    std::uint32_t node, edge;
  };
  std::vector<Visit> visits;
  std::uint32_t visited = 0;
  for (std::uint32_t root = 0; root < graph_nodes_; ++root) {
    if (order[root] != 0) continue;
    visits.push_back({root, begin_of_[root]});
    while (!visits.empty()) {
      auto& [node, edge] = visits.back();
      if (order[node] == 0) {
        order[node] = low[node] = ++visited;
        stack.push_back(node);
        on_stack[node] = true;
      }
      if (edge < begin_of_[node + 1]) {
        const std::uint32_t to = edges_[edge++].to;
        if (order[to] == 0) {
          visits.push_back({to, begin_of_[to]});
        } else if (on_stack[to]) {
          low[node] = std::min(low[node], order[to]);
        }
        continue;
      }
      if (low[node] == order[node]) {
        const bool alone = stack.back() == node;
        for (std::uint32_t member = kNone; member != node;) {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          if (!alone) component[member] = node;
        }
      }
      const std::uint32_t done = node;
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[done]);
    }
  }
  return component;
}

// Breadth first by transactions: an instant costs nothing.
std::vector<std::uint32_t> Serializability::shortest_cycle(const std::vector<std::uint32_t>& component) const {
  const auto nodes = static_cast<std::uint32_t>(nodes_.size());
  std::vector<std::uint32_t> best, distance(graph_nodes_, kNone), reached_by(graph_nodes_, kNone), touched;
  std::uint32_t least = kNone;
  std::uint64_t looked_at = 0;
  std::deque<std::uint32_t> queue;
  for (std::uint32_t start = 0; start < nodes && least > 2 && looked_at < kMostLookedAt; ++start) {
    if (component[start] == kNone) continue;
    for (const std::uint32_t node : touched) distance[node] = reached_by[node] = kNone;
    touched.assign(1, start);
    queue.assign(1, start);
    distance[start] = 0;
    std::uint32_t closing = kNone;
    while (!queue.empty() && closing == kNone) {
      const std::uint32_t node = queue.front();
      queue.pop_front();
      for (std::uint32_t edge = begin_of_[node]; edge < begin_of_[node + 1]; ++edge) {
        ++looked_at;
        const std::uint32_t to = edges_[edge].to;
        if (component[to] != component[start]) continue;
        const std::uint32_t there = distance[node] + (to < nodes ? 1 : 0);
        if (there >= least) continue;
        if (to == start) {
          closing = edge;
          break;
        }
        if (distance[to] <= there) continue;
        if (distance[to] == kNone) touched.push_back(to);
        distance[to] = there;
        reached_by[to] = edge;
        to < nodes ? queue.push_back(to) : queue.push_front(to);
      }
    }
    if (closing == kNone) continue;
    least = distance[edges_[closing].from] + 1;
    best.assign(1, closing);
    for (std::uint32_t node = edges_[closing].from; node != start; node = edges_[best.back()].from) {
      best.push_back(reached_by[node]);
    }
    std::reverse(best.begin(), best.end());
  }
  return best;
}

}  // namespace racksim::app
