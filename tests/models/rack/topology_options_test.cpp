// Racks behind a spine: who is plugged in where (StarCache §3.9, §3.10).
#include "models/rack/topology_options.hpp"

#include <catch2/catch.hpp>

#include "sim/options/option_error.hpp"

namespace topology_options_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::sim::literals;

namespace {

/// A switch with four pipes of four ports.
SwitchOptions sixteen_ports() {
  SwitchOptions options;
  options.ports = 16;
  options.ports_per_pipe = 4;
  return options;
}

std::vector<std::string> names_on(const Topology& t, const std::vector<Topology::Hop>& route) {
  std::vector<std::string> names;
  for (const auto& hop : route) names.push_back(t.name(hop.network_switch));
  return names;
}

}  // namespace

TEST_CASE("One rack is a switch with a server at each port, in their order") {
  const TopologyOptions options;
  const auto t = options.build(6, {1, 10_ns}, sixteen_ports());
  REQUIRE(t.switches().size() == 1);
  CHECK(t.name(t.switches().front()) == "switch");
  for (NodeId node = 0; node < 6; ++node) CHECK(t.switch_port_of(node).number == node);
  CHECK(options.switch_names().empty());
  CHECK(options.link_names().empty());
}

TEST_CASE("From a client in one rack to a server in another a packet passes tor0, the spine and tor1",
          "[claim:starcache-s39-one-tor]") {
  TopologyOptions options;
  options.racks = 2;
  options.last_rack = 2;
  const auto t = options.build(5, {1, 10_ns}, sixteen_ports());
  CHECK(names_on(t, t.route(0, 4)) == std::vector<std::string>{"tor0", "spine", "tor1"});
  CHECK(names_on(t, t.route(3, 4)) == std::vector<std::string>{"tor1"});
  CHECK(names_on(t, t.route(4, 2)) == std::vector<std::string>{"tor1", "spine", "tor0"});
  CHECK(options.switch_names() == std::vector<std::string>{"tor0", "tor1", "spine"});
  CHECK(options.link_names() == std::vector<std::string>{"tor0-spine.0", "tor1-spine.0"});
}

TEST_CASE("Servers are shared out to racks evenly, with those that are over in the first ones") {
  TopologyOptions options;
  options.racks = 3;
  CHECK(options.servers_of_racks(8) == std::vector<std::uint64_t>{3, 3, 2});
  options.last_rack = 4;
  CHECK(options.servers_of_racks(9) == std::vector<std::uint64_t>{3, 2, 4});
}

TEST_CASE("With four pipes servers and links to the spine are spread over them, and meet in their pipe") {
  TopologyOptions options;
  options.racks = 2;
  options.last_rack = 4;
  options.pipes = 4;
  const auto t = options.build(9, {1, 10_ns}, sixteen_ports());
  const auto tor1 = t.switches().at(1);
  for (NodeId server = 5; server < 9; ++server) {
    const auto port = t.switch_port_of(server);
    CHECK(port.device == tor1);
    CHECK(t.pipe_of(port) == server - 5u);
    for (NodeId client = 0; client < 5; ++client) {
      const auto route = t.route(client, server);
      CHECK(t.pipe_of({tor1, route.back().arrives_by}) == t.pipe_of(port));
      CHECK(t.pipe_of({tor1, t.route(server, client).front().leaves_by}) == t.pipe_of(port));
    }
  }
}

TEST_CASE("Racks, pipes and links that do not fit are refused with what would") {
  TopologyOptions options;
  const auto refusal = [&](std::uint64_t nodes) -> std::string {
    try {
      options.build(nodes, {1, 10_ns}, sixteen_ports());
    } catch (const sim::OptionError& error) {
      return error.what();
    }
    return {};
  };
  CHECK_THAT(refusal(17), Catch::Contains("nodes: found 17 servers, expected at most the 16 ports"));
  options.pipes = 5;
  CHECK_THAT(refusal(4), Catch::Contains("topology.pipes: found 5 pipes, expected at most the 4"));
  options = {};
  options.racks = 3;
  CHECK_THAT(refusal(2), Catch::Contains("topology.racks: found 3 racks, expected a server in each rack, of 2"));
  options.last_rack = 7;
  CHECK_THAT(refusal(8), Catch::Contains("topology.last_rack: found 7 servers in the last of 3 racks"));
  options = {};
  options.last_rack = 1;
  CHECK_THAT(refusal(8), Catch::Contains("where there is one rack it has all"));
  options = {};
  options.racks = 4;
  options.uplinks = 5;
  CHECK_THAT(refusal(8), Catch::Contains("expected at most the 16 ports of the spine"));
  options.racks = 2;
  options.uplinks = 5;
  CHECK_THAT(refusal(8), Catch::Contains("topology.uplinks: found 5 links to the spine, expected at most the 4 ports"));
}

}  // namespace topology_options_test
