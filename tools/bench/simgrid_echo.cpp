// The echo in S4U, a part of the module that is loaded when something runs. See simgrid_echo.hpp.
//
// A reference implementation must be written in the interface it stands for, so this is the one file outside sim/ that
// includes SimGrid. It is written for speed: the network model is the cheapest that still shares links between flows,
// replies and forwards are detached, and messages are pointers.
#include "tools/bench/simgrid_echo.hpp"

#include <array>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace racksim::tools {

namespace {

namespace s4u = simgrid::s4u;

constexpr std::uint64_t kFrameBytes = 64;

/// One per client, handed from mailbox to mailbox.
struct Message {
  s4u::Mailbox* destination = nullptr;
  s4u::Mailbox* reply_to = nullptr;
};

}  // namespace

extern "C" void racksim_simgrid_echo(std::uint64_t burst, bool fat_pipe, const std::function<bool()>& burst_done) {
  std::string name = "echo", quiet = "--log=root.thresh:error";
  std::array<char*, 3> argv{name.data(), quiet.data(), nullptr};
  int argc = 2;
  s4u::Engine engine(&argc, argv.data());
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:0");

  auto* zone = s4u::create_star_zone("rack");
  auto* switch_host = zone->create_host("switch", 1e9);
  std::vector<s4u::Host*> hosts;
  for (unsigned i = 0; i < kEchoHosts; ++i) {
    auto* host = zone->create_host("node" + std::to_string(i), 1e9);
    const auto* link = zone->create_split_duplex_link("link" + std::to_string(i), 12.5e9)->set_latency(400e-9);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {s4u::LinkInRoute(link, s4u::LinkInRoute::Direction::UP)}, true);
    hosts.push_back(host);
  }
  auto* backplane = zone->create_link("backplane", 1e12)->set_latency(400e-9);
  if (fat_pipe) backplane->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
  zone->add_route(switch_host->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(backplane)}, true);
  zone->seal();

  auto* at_switch = s4u::Mailbox::by_name("switch");
  s4u::Actor::create("switch", switch_host, [at_switch] {
    for (;;) {
      auto* message = at_switch->get<Message>();
      message->destination->put_init(message, kFrameBytes)->detach();
    }
  })->daemonize();

  std::uint64_t done = 0;
  bool more = true;
  std::vector<Message> messages(kEchoHosts * kEchoThreads);
  for (unsigned i = 0; i < kEchoHosts * kEchoThreads; ++i) {
    auto* server_mailbox = s4u::Mailbox::by_name("server" + std::to_string(i));
    auto* client_mailbox = s4u::Mailbox::by_name("client" + std::to_string(i));
    // As in rpc_echo.cpp: thread t of a host calls a host t + 1 further on.
    const unsigned host = i % kEchoHosts, thread = i / kEchoHosts;
    s4u::Actor::create("server", hosts[(host + 1 + thread) % kEchoHosts], [server_mailbox, at_switch] {
      for (;;) {
        auto* message = server_mailbox->get<Message>();
        message->destination = message->reply_to;
        at_switch->put_init(message, kFrameBytes)->detach();
      }
    })->daemonize();
    s4u::Actor::create("client", hosts[host], [&, i, server_mailbox, client_mailbox] {
      auto& message = messages[i];
      while (more) {
        message.destination = server_mailbox;
        message.reply_to = client_mailbox;
        at_switch->put_init(&message, kFrameBytes)->detach();
        client_mailbox->get<Message>();
        if (++done % burst == 0 && more) more = burst_done();
      }
    });
  }
  engine.run();
}

}  // namespace racksim::tools
