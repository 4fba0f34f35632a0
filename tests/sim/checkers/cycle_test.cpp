// The cycle search, against the transitive closure of small graphs, and on graphs too deep for a recursion.
#include "sim/checkers/cycle.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/random/random.hpp"

namespace cycle_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

constexpr std::size_t kNowhere = 1'000;

/// The lengths of the shortest ways between all nodes, of one edge at least (Floyd, "Algorithm 97: Shortest Path", CACM
/// 5(6), 1962).
std::vector<std::vector<std::size_t>> distances(std::size_t nodes, const std::vector<OrderEdge>& edges) {
  std::vector<std::vector<std::size_t>> distance(nodes, std::vector<std::size_t>(nodes, kNowhere));
  for (const auto& edge : edges) distance[edge.from][edge.to] = 1;
  for (std::size_t via = 0; via < nodes; ++via) {
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = 0; b < nodes; ++b) {
        distance[a][b] = std::min(distance[a][b], distance[a][via] + distance[via][b]);
      }
    }
  }
  return distance;
}

/// Edges 0 -> 1 -> ... -> nodes - 1.
std::vector<OrderEdge> chain(std::size_t nodes) {
  std::vector<OrderEdge> edges;
  for (std::size_t n = 0; n + 1 < nodes; ++n) edges.push_back({.from = n, .to = n + 1});
  return edges;
}

}  // namespace

TEST_CASE(
    "a cycle is found exactly if a node leads to itself, as short as any through the first edge that lies on one") {
  RandomStream random(1, "cycles");
  std::size_t with = 0, without = 0;
  for (int graph = 0; graph < 3'000; ++graph) {
    const std::size_t nodes = 1 + random.below(9);
    std::vector<OrderEdge> edges;
    for (auto left = random.below(2 * nodes); left > 0; --left) {
      edges.push_back(
          {.from = random.below(nodes), .to = random.below(nodes), .earlier = edges.size(), .later = edges.size() + 7});
    }
    const auto distance = distances(nodes, edges);
    const auto first_on_any = std::find_if(edges.begin(), edges.end(), [&](const OrderEdge& edge) {
      return edge.from == edge.to || distance[edge.to][edge.from] < kNowhere;
    });
    const auto cycle = find_cycle(nodes, edges);
    REQUIRE(cycle.empty() == (first_on_any == edges.end()));
    (cycle.empty() ? without : with) += 1;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      // It is one of the edges, with all that it carries, and leads to the next one.
      REQUIRE(cycle[i].earlier < edges.size());
      const OrderEdge& edge = edges[cycle[i].earlier];
      REQUIRE(edge.from == cycle[i].from);
      REQUIRE(edge.to == cycle[i].to);
      REQUIRE(edge.later == cycle[i].later);
      REQUIRE(cycle[i].to == cycle[(i + 1) % cycle.size()].from);
    }
    if (!cycle.empty()) {
      const auto& through = *first_on_any;
      REQUIRE(std::any_of(cycle.begin(), cycle.end(),
                          [&](const OrderEdge& edge) { return edge.earlier == through.earlier; }));
      REQUIRE(cycle.size() == (through.from == through.to ? 1 : 1 + distance[through.to][through.from]));
    }
  }
  CHECK(with > 500);
  CHECK(without > 500);
}

TEST_CASE("no nodes, no edges and edges that only join have no cycle") {
  CHECK(find_cycle(0, {}).empty());
  CHECK(find_cycle(3, {}).empty());
  const std::vector<OrderEdge> joined{{.from = 0, .to = 2}, {.from = 1, .to = 2}, {.from = 0, .to = 2}};
  CHECK(find_cycle(3, joined).empty());
}

TEST_CASE("a cycle through a million nodes is found, and a chain of as many is none") {
  constexpr std::size_t kNodes = 1'000'000;
  auto edges = chain(kNodes);
  CHECK(find_cycle(kNodes, edges).empty());
  edges.push_back({.from = kNodes - 1, .to = 0});
  CHECK(find_cycle(kNodes, edges).size() == kNodes);
}

}  // namespace cycle_test
