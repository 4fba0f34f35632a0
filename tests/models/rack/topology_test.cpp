#include "models/rack/topology.hpp"

#include <catch2/catch.hpp>

namespace topology_test {

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

TEST_CASE("Of several links to one switch a packet takes the one to the pipe of its server") {
  // Two links, to pipes 0 and 1 of a switch with four ports a pipe; a server in each of these pipes, in the other
  // order.
  Topology t;
  const auto client = t.add_server(), in_second = t.add_server(), in_first = t.add_server();
  const auto tor = t.add_switch("tor", 4), spine = t.add_switch("spine");
  t.connect({client, 0}, {spine, 0}, {1, 10_ns});
  t.connect({tor, 3}, {spine, 1}, {1, 100_ns});
  t.connect({tor, 7}, {spine, 2}, {1, 100_ns});
  t.connect({in_second, 0}, {tor, 4}, {1, 10_ns});
  t.connect({in_first, 0}, {tor, 0}, {1, 10_ns});
  CHECK(t.ports_towards_servers(spine) == std::vector<unsigned>{0, 2, 1});
  // The way back leaves by the link of the pipe that the packet is in.
  CHECK(t.ports_towards_servers(tor, 0) == std::vector<unsigned>{3, 4, 0});
  CHECK(t.ports_towards_servers(tor, 1) == std::vector<unsigned>{7, 4, 0});
  CHECK(t.port_towards_switch(tor, 1, spine) == 7);
  CHECK(t.port_towards_switch(spine, 0, tor) == 1);  // its control CPU is in the first pipe
}

TEST_CASE("With fewer links than pipes a packet changes pipes in the switch") {
  Topology t;
  const auto client = t.add_server(), server = t.add_server();
  const auto tor = t.add_switch("tor", 4), spine = t.add_switch("spine");
  t.connect({client, 0}, {spine, 0}, {1, 10_ns});
  t.connect({tor, 3}, {spine, 1}, {1, 100_ns});
  t.connect({server, 0}, {tor, 4}, {1, 10_ns});
  const auto route = t.route(0, 1);
  REQUIRE(route.size() == 2);
  CHECK(route[1].network_switch == tor);
  CHECK(t.pipe_of({tor, route[1].arrives_by}) == 0);
  CHECK(t.pipe_of({tor, route[1].leaves_by}) == 1);
  CHECK(t.ports_towards_servers(tor, 1).at(client == t.server(0) ? 0 : 1) == 3);
}

TEST_CASE("A port takes one link, and the shortest way counts more than the pipes on it") {
  Topology t;
  const auto client = t.add_server(), server = t.add_server();
  const auto tor = t.add_switch("tor", 4), spine = t.add_switch("spine");
  t.connect({client, 0}, {spine, 0}, {1, 10_ns});
  t.connect({tor, 3}, {spine, 1}, {1, 100_ns});
  t.connect({tor, 7}, {spine, 2}, {1, 101_ns});
  t.connect({server, 0}, {tor, 4}, {1, 10_ns});
  CHECK(t.ports_towards_servers(spine) == std::vector<unsigned>{0, 1});
  CHECK_THROWS_WITH(t.connect({tor, 3}, {spine, 5}, {}), "port 3 of tor is taken");
}

}  // namespace topology_test
