#include "models/rack/rack.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/models/rack_fixture.hpp"

namespace rack_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

// Closed-loop clients, one a core, that call a server elsewhere, one call at a time.
struct Echo {
  struct Server : PacketHandler {
    void on_packet(p4::PacketRef request) override {
      const auto& udp = request->get<p4::Udp>();
      const auto from = static_cast<NodeId>(request->get<p4::Ipv4>().src - ipv4_of(0));
      auto reply =
          echo->rack.make_packet(from, static_cast<std::uint16_t>(qpn), static_cast<std::uint16_t>(udp.src_port));
      reply->payload_bytes = 18;
      reply->content = request->content;
      echo->rack.server(node).nic().send_raw(models::Qpn{qpn}, std::move(reply));
    }
    Echo* echo = nullptr;
    NodeId node = 0;
    std::uint32_t qpn = 0;
  };
  struct Client : PacketHandler {
    void call() {
      auto request =
          echo->rack.make_packet(server, static_cast<std::uint16_t>(qpn), static_cast<std::uint16_t>(server_qpn));
      request->payload_bytes = 18;
      request->content = p4::Content::of(std::uint64_t{++calls});
      sent = echo->calendar.now();
      echo->rack.server(node).nic().send_raw(models::Qpn{qpn}, std::move(request));
    }
    void on_packet(p4::PacketRef reply) override {
      CHECK(reply->content.as<std::uint64_t>() == calls);
      round_trip = echo->calendar.now() - sent;
      ++echo->done;
      if (calls < echo->calls_each) call();
    }
    Echo* echo = nullptr;
    NodeId node = 0, server = 0;
    std::uint32_t qpn = 0, server_qpn = 0;
    std::uint64_t calls = 0;
    sim::Time sent;
    sim::Duration round_trip;
  };

  Echo(std::uint64_t clients_a_node, std::uint64_t calls, const RackOptions& options = {})
      : rack(calendar, event_log, metrics, options, 1), calls_each(calls), servers(8 * 4), clients(8 * clients_a_node) {
    for (NodeId node = 0; node < 8; ++node) {
      for (std::size_t i = 0; i < 4; ++i) {
        auto& server = servers[node * 4u + i];
        server = {};
        server.echo = this;
        server.node = node;
        server.qpn = rack.server(node).nic().create_raw_qp(rack.server(node).core(4 + i), server);
      }
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      auto& client = clients[i];
      client.echo = this;
      client.node = static_cast<NodeId>(i % 8);
      client.server = static_cast<NodeId>((i % 8 + 1 + i / 8) % 8);
      client.server_qpn = servers[client.server * 4u + i / 8 % 4].qpn;
      client.qpn = rack.server(client.node).nic().create_raw_qp(rack.server(client.node).core(i / 8), client);
    }
  }
  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  Rack rack;
  std::uint64_t calls_each, done = 0;
  std::vector<Server> servers;
  std::vector<Client> clients;
};

}  // namespace

TEST_CASE("A small RPC between idle hosts takes six events and about the round-trip time of the options") {
  Echo echo(1, 1);
  echo.clients[0].call();
  echo.calendar.run_until();
  CHECK(echo.done == 1);
  CHECK(echo.calendar.executed() == 6);
  const auto rtt = echo.clients[0].round_trip;
  CHECK(rtt.ns() == Approx(RackOptions{}.rtt.ns()).epsilon(0.05));
}

TEST_CASE("Eight hosts with four closed-loop clients each need at most eight events an RPC") {
  Echo echo(4, 2000);
  for (auto& client : echo.clients) client.call();
  echo.calendar.run_until();
  CHECK(echo.done == 8 * 4 * 2000);
  CHECK(echo.calendar.executed() <= 8 * echo.done);
  CHECK(echo.rack.packets_in_flight() == 0);
  CHECK(echo.rack.accounting().created() == 2 * echo.done);
  CHECK(echo.rack.accounting().delivered() == 2 * echo.done);
}

TEST_CASE("A run repeats to the bit with the same seed") {
  const auto run = [] {
    Echo echo(4, 50);
    for (auto& client : echo.clients) client.call();
    echo.calendar.run_until();
    return echo.event_log.hash();
  };
  CHECK(run() == run());
}

TEST_CASE("A crashed server is silent and takes calls again after its restart") {
  TestRack t;
  t.send(0, 1, 1);
  t.calendar.run_until(at(500_ns));
  t.rack.crash(1);
  t.calendar.run_until();
  CHECK(t.hosts[1]->seen.empty());
  t.rack.restart(1);
  t.send(0, 1, 2);
  t.calendar.run_until();
  REQUIRE(t.hosts[1]->seen.size() == 1);
  CHECK(t.hosts[1]->seen[0].what == 2);
  CHECK(t.rack.accounting().expected_in_flight() == 0);
}

TEST_CASE("A run that is cut short leaves nothing behind") {
  TestRack t;
  t.send(0, 1, 1);
  t.send(0, 1, 2, 9, 1500);
  t.calendar.run_until(at(400_ns));
  CHECK(t.rack.packets_in_flight() == 2);
  CHECK(t.rack.packets().live() == 2);  // the sanitizers look for what is lost
}

TEST_CASE("A rack that does not fit on the switch, and cores that do not exist, are refused") {
  RackOptions options = TestRack::small();
  options.nodes = 33;
  CHECK_THROWS_WITH(TestRack(options), "nodes: found 33 servers, expected at most the 32 ports of the switch");
  TestRack t;
  CHECK_THROWS_WITH(t.rack.server(2).core(1), "node 2 has 1 cores, no core 1");
}

TEST_CASE("All options of a rack are declared under distinct names with a sentence each") {
  RackOptions options;
  sim::Parameters parameters;
  options.declare(parameters);
  std::set<std::string> names;
  for (const auto& parameter : parameters.all()) {
    CHECK(names.insert(parameter.name).second);
    CHECK_FALSE(parameter.doc.empty());
  }
  for (const auto* name : {"rtt", "nic.rc_retransmission_timeout", "link.rate", "switch.pipe.stages", "cpu.cores"}) {
    CHECK(names.count(name) == 1);
  }
}

}  // namespace rack_test
