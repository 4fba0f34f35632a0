// Turns between this process and others with SimGrid, ns-3 and a service. See rpc_echo.hpp.
#include "tools/bench/rpc_echo.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "models/packets/addressing.hpp"
#include "models/rack/rack.hpp"
#include "p4model/language/headers.hpp"
#include "tools/bench/ns3_echo.hpp"
#include "tools/bench/scenario_runs.hpp"
#include "tools/bench/simgrid_echo.hpp"

namespace racksim::tools {

namespace {

constexpr std::uint64_t kSlowdown = 20;  // so that rounds of both take about as long

constexpr std::uint32_t kPayloadBytes = 18;  // of a 64-byte frame, behind Ethernet, IPv4 and UDP

/// Sends every request back where it came from.
struct EchoServer final : models::PacketHandler {
  void on_packet(p4::PacketRef request) override {
    const auto from = static_cast<models::NodeId>(request->get<p4::Ipv4>().src - models::ipv4_of(0));
    const auto to_queue_pair = static_cast<std::uint16_t>(request->get<p4::Udp>().src_port);
    auto reply = rack->make_packet(from, static_cast<std::uint16_t>(queue_pair), to_queue_pair);
    reply->payload_bytes = kPayloadBytes;
    reply->content = request->content;
    rack->server(node).nic().send_raw(models::Qpn{queue_pair}, std::move(reply));
  }
  models::Rack* rack = nullptr;
  models::NodeId node = 0;
  std::uint32_t queue_pair = 0;
};

/// Calls, waits for the reply and calls again.
struct EchoClient final : models::PacketHandler {
  void call() {
    auto request = rack->make_packet(server, static_cast<std::uint16_t>(queue_pair), server_queue_pair);
    request->payload_bytes = kPayloadBytes;
    rack->server(node).nic().send_raw(models::Qpn{queue_pair}, std::move(request));
  }
  void on_packet(p4::PacketRef) override {
    if (++*done == *goal) rack->calendar().stop();
    call();
  }
  models::Rack* rack = nullptr;
  std::uint64_t *done = nullptr, *goal = nullptr;
  models::NodeId node = 0, server = 0;
  std::uint32_t queue_pair = 0;
  std::uint16_t server_queue_pair = 0;
};

/// The echo on the simulated rack: rack, servers and clients, which call without end.
struct RackEcho {
  RackEcho()
      : rack(calendar, event_log, metrics, {}, 1),
        servers(kEchoHosts * kEchoThreads),
        clients(kEchoHosts * kEchoThreads) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      auto& server = servers[i];
      server.rack = &rack;
      server.node = static_cast<models::NodeId>(i % kEchoHosts);
      auto& host = rack.server(server.node);
      server.queue_pair = host.nic().create_raw_qp(host.core(kEchoThreads + i / kEchoHosts), server);
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      // Thread t of a host calls thread t of the host t + 1 further on.
      auto& client = clients[i];
      const std::size_t host = i % kEchoHosts, thread = i / kEchoHosts, called = (host + 1 + thread) % kEchoHosts;
      client.rack = &rack;
      client.done = &done;
      client.goal = &goal;
      client.node = static_cast<models::NodeId>(host);
      client.server = static_cast<models::NodeId>(called);
      client.server_queue_pair = static_cast<std::uint16_t>(servers[thread * kEchoHosts + called].queue_pair);
      client.queue_pair = rack.server(client.node).nic().create_raw_qp(rack.server(client.node).core(thread), client);
    }
    for (auto& client : clients) client.call();
  }

  /// Runs until at least this many more RPCs are done; returns how many were.
  std::uint64_t run(std::uint64_t rpcs) {
    goal = done + rpcs;
    calendar.run_until();
    return rpcs;
  }

  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  models::Rack rack;
  std::vector<EchoServer> servers;
  std::vector<EchoClient> clients;
  std::uint64_t done = 0, goal = 0;
};

/// RPCs per second of an echo that calls back after each burst; the first is not measured.
template <class Echo>
double rate_of_second_burst(std::uint64_t burst, const Echo& echo) {
  double begin = 0, rate = 0;
  echo([&, first = true]() mutable {
    if (!first) rate = static_cast<double>(burst) / (processor_seconds() - begin);
    begin = processor_seconds();
    return std::exchange(first, false);
  });
  return rate;
}

}  // namespace

std::uint64_t rpc_echoes(std::uint64_t rpcs) {
  return RackEcho().run(rpcs);
}

EchoResult run_rpc_echo(std::uint64_t rpcs, unsigned rounds, const Catalogue& catalogue) {
  const std::uint64_t burst = rpcs / kSlowdown;
  const auto simgrid = [burst](bool fat_pipe) {
    return rate_of_second_burst(burst, [&](const auto& done) { run_simgrid_echo(burst, fat_pipe, done); });
  };
  struct Other {
    std::string name;
    std::function<double()> rate;
    std::vector<double> rates{};
  };
  std::vector<Other> others{{"simgrid_s4u", [&] { return simgrid(false); }},
                            {"simgrid_s4u_fatpipe", [&] { return simgrid(true); }}};
  if (const auto ns3 = ns3_echo()) {
    const auto rate = [burst, ns3](bool stack) {
      return rate_of_second_burst(burst, [&](const auto& done) { ns3(burst, stack, done); });
    };
    others.push_back({"ns3", [rate] { return rate(true); }});
    others.push_back({"ns3_frames", [rate] { return rate(false); }});
  }
  others.push_back({"service", [&, burst] { return service_rate(burst, catalogue); }});

  RackEcho rack;
  const Round rack_round = [&] { return rack.run(rpcs); };
  rack_round();  // the first round does not count
  std::vector<double> rack_rates;
  for (unsigned round = 0; round < rounds; ++round) {
    rack_rates.push_back(rate_of(rack_round));
    for (auto& other : others) other.rates.push_back(measured_apart(other.rate));
  }
  EchoResult result{
      spread_of(rack_rates), {}, static_cast<double>(rack.calendar.executed()) / static_cast<double>(rack.done)};
  for (const auto& other : others) {
    result.others.push_back({other.name, spread_of(other.rates), ratio_of(rack_rates, other.rates)});
  }
  return result;
}

}  // namespace racksim::tools
