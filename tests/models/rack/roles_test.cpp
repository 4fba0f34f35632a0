// Which servers compute and which hold memory.
#include "models/rack/roles.hpp"

#include <catch2/catch.hpp>
#include <optional>

#include "models/rack/rack_options.hpp"

namespace roles_test {

using namespace racksim::models;

namespace {

Roles roles(std::optional<std::uint64_t> compute, std::optional<std::uint64_t> memory, std::uint64_t nodes = 8) {
  RoleOptions options;
  options.compute = compute;
  options.memory = memory;
  return options.of(nodes);
}

}  // namespace

TEST_CASE("Without more being said all servers have both roles") {
  const Roles both = roles({}, {});
  CHECK(both.all_have_both());
  for (NodeId node = 0; node < 8; ++node) CHECK((both.computes(node) && both.holds_memory(node)));
  CHECK_FALSE(both.computes(8));
  CHECK_FALSE(both.holds_memory(8));
  CHECK(Roles::both(8).all_have_both());
  CHECK(roles(8, 8).all_have_both());
}

TEST_CASE("The first servers compute, the last ones hold memory") {
  const Roles apart = roles(6, 2);
  CHECK_FALSE(apart.all_have_both());
  for (NodeId node = 0; node < 8; ++node) {
    CHECK(apart.computes(node) == (node < 6));
    CHECK(apart.holds_memory(node) == (node >= 6));
  }
  const Roles overlapping = roles(5, 6);
  CHECK_FALSE(overlapping.all_have_both());
  CHECK(overlapping.first_memory_node == 2);
  CHECK((overlapping.computes(4) && overlapping.holds_memory(4)));
  const Roles gap = roles(1, 1);  // between them servers without a role
  CHECK_FALSE((gap.computes(3) || gap.holds_memory(3)));
  CHECK_FALSE(roles({}, 3).all_have_both());
  CHECK_FALSE(roles(3, {}).all_have_both());
}

TEST_CASE("Memory servers are placed beside the nodes that compute, or all nodes have both roles") {
  RackOptions rack;
  rack.nodes = 5;
  rack.place_beside_compute_nodes(0);
  CHECK(rack.nodes == 5);
  CHECK(rack.roles.of(5).all_have_both());
  rack.place_beside_compute_nodes(3);
  CHECK(rack.nodes == 8);
  CHECK(rack.roles.of(8).compute_nodes == 5);
  CHECK(rack.roles.of(8).memory_nodes == 3);
  CHECK(rack.roles.of(8).first_memory_node == 5);
  // Of a testbed whose servers are apart those that compute stay.
  rack.place_beside_compute_nodes(5);
  CHECK(rack.nodes == 10);
  CHECK(rack.roles.compute == 5);
  rack.place_beside_compute_nodes(0);
  CHECK(rack.nodes == 5);
  CHECK(rack.roles.of(5).all_have_both());
}

TEST_CASE("More of a role than there are servers is refused with the numbers") {
  CHECK_THROWS_WITH(roles(9, {}), "/rack/roles/compute: found 9 nodes, expected at most the 8 nodes of the rack");
  CHECK_THROWS_WITH(roles({}, 9), "/rack/roles/memory: found 9 nodes, expected at most the 8 nodes of the rack");
  CHECK_THROWS_WITH(roles(2, 2, 1), "/rack/roles/compute: found 2 nodes, expected at most the 1 nodes of the rack");
}

}  // namespace roles_test
