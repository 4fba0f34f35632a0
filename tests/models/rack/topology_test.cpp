#include "models/rack/topology.hpp"

#include <catch2/catch.hpp>

using namespace racksim;
using namespace racksim::models;
using namespace racksim::sim::literals;

TEST_CASE("In a star every server is on the port of its number") {
  const auto star = Topology::star(8, {100'000'000'000, 10_ns});
  const auto centre = star.neighbours(star.server(0)).front();
  CHECK(star.servers() == 8);
  CHECK(star.ports_towards_servers(centre) == std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(star.ports_towards_servers(star.server(3)) == std::vector<unsigned>(8, 0));
}

TEST_CASE("Routes take the least propagation, then the fewest links") {
  Topology t;
  const auto a = t.add_server();
  const auto b = t.add_server();
  const auto near = t.add_switch("near");
  const auto far = t.add_switch("far");
  t.connect(near, far, {1, 10_ns});
  t.connect(near, b, {1, 50_ns});
  t.connect(far, b, {1, 10_ns});
  t.connect(near, a, {1, 10_ns});
  // To b: 20 ns over the other switch beats 50 ns.
  CHECK(t.ports_towards_servers(near) == std::vector<unsigned>{2, 0});
  Topology tie;
  const auto c = tie.add_server();
  const auto x = tie.add_switch("x"), y = tie.add_switch("y");
  tie.connect(x, y, {1, 10_ns});
  tie.connect(x, c, {1, 20_ns});
  tie.connect(y, c, {1, 10_ns});
  CHECK(tie.ports_towards_servers(x) == std::vector<unsigned>{1});
}

TEST_CASE("A server without a route and a link to itself are refused") {
  Topology t;
  const auto a = t.add_server();
  const auto s = t.add_switch("s");
  CHECK_THROWS_WITH(t.ports_towards_servers(s), "there is no route from s to node0");
  CHECK_THROWS_WITH(t.connect(a, a, {}), "node0 cannot be linked to itself");
}
