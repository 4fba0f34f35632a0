// The echo in ns-3, a module of its own. See ns3_echo.hpp.
//
// Written for speed: of frames alone the first bytes say where one goes, which tags and headers would say more slowly.
#include <ns3/drop-tail-queue.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/udp-socket-factory.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/bench/simgrid_echo.hpp"

namespace racksim::tools {

namespace {

using Device = ns3::Ptr<ns3::PointToPointNetDevice>;

constexpr std::uint32_t kFrameBytes = 64;
constexpr std::uint16_t kIpv4 = 0x0800;  // the one protocol, with IPv6, that the links of ns-3 carry

/// What a frame begins with.
struct Label {
  std::uint8_t to, from, thread, is_reply;
};

/// A node in the middle that forwards frames, hosts that send them back.
struct FrameEcho {
  std::uint64_t burst;
  const std::function<bool()>& burst_done;
  std::vector<Device> of_host{}, of_switch{};
  std::uint64_t done = 0;

  static Label label(const ns3::Ptr<const ns3::Packet>& packet) {
    std::array<std::uint8_t, sizeof(Label)> bytes{};
    packet->CopyData(bytes.data(), bytes.size());
    return {bytes[0], bytes[1], bytes[2], bytes[3]};
  }
  void send(const Label& label) {
    std::array<std::uint8_t, kFrameBytes - 2> frame{label.to, label.from, label.thread, label.is_reply};
    const auto& device = of_host[label.from];
    device->Send(ns3::Create<ns3::Packet>(frame.data(), frame.size()), device->GetBroadcast(), kIpv4);
  }
  bool forward(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet> packet, std::uint16_t, const ns3::Address&) {
    const auto& device = of_switch[label(packet).to];
    return device->Send(packet->Copy(), device->GetBroadcast(), kIpv4);
  }
  bool receive(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet> packet, std::uint16_t, const ns3::Address&) {
    const Label got = label(packet);
    if (got.is_reply != 0 && ++done % burst == 0 && !burst_done()) ns3::Simulator::Stop();
    send({got.from, got.to, got.thread, static_cast<std::uint8_t>(got.is_reply ^ 1u)});
    return true;
  }
};

/// UDP sockets of clients and servers.
struct SocketEcho {
  std::uint64_t burst;
  const std::function<bool()>& burst_done;
  std::uint64_t done = 0;

  static void send(const ns3::Ptr<ns3::Socket>& socket, const ns3::Address& to) {
    socket->SendTo(ns3::Create<ns3::Packet>(18), 0, to);  // a 64-byte frame
  }
  void serve(ns3::Ptr<ns3::Socket> socket) {
    ns3::Address from;
    while (socket->RecvFrom(from)) send(socket, from);
  }
  void receive(ns3::Ptr<ns3::Socket> socket) {
    ns3::Address from;
    while (socket->RecvFrom(from)) {
      if (++done % burst == 0 && !burst_done()) ns3::Simulator::Stop();
      send(socket, from);
    }
  }
};

Device add_device(const ns3::Ptr<ns3::Node>& node, const ns3::Ptr<ns3::PointToPointChannel>& channel) {
  const auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
  device->SetAddress(ns3::Mac48Address::Allocate());
  device->SetDataRate(ns3::DataRate("100Gbps"));
  device->SetQueue(ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>());
  node->AddDevice(device);
  device->Attach(channel);
  return device;
}

/// The devices of hosts, and those of the node in the middle.
struct Star {
  ns3::Ptr<ns3::Node> middle = ns3::CreateObject<ns3::Node>();
  std::vector<Device> of_host{}, of_switch{};

  Star() {
    for (unsigned host = 0; host < kEchoHosts; ++host) {
      const auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
      channel->SetAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(400)));
      of_host.push_back(add_device(ns3::CreateObject<ns3::Node>(), channel));
      of_switch.push_back(add_device(middle, channel));
    }
  }
};

/// As in rpc_echo.cpp: thread t of a host calls a host t + 1 further on.
unsigned called_by(unsigned host, unsigned thread) {
  return (host + 1 + thread) % kEchoHosts;
}

void echo_frames(std::uint64_t burst, const std::function<bool()>& burst_done) {
  const Star star;
  FrameEcho echo{burst, burst_done, star.of_host, star.of_switch};
  for (unsigned host = 0; host < kEchoHosts; ++host) {
    star.of_host[host]->SetReceiveCallback(ns3::MakeCallback(&FrameEcho::receive, &echo));
    star.of_switch[host]->SetReceiveCallback(ns3::MakeCallback(&FrameEcho::forward, &echo));
  }
  for (std::uint8_t host = 0; host < kEchoHosts; ++host) {
    for (std::uint8_t thread = 0; thread < kEchoThreads; ++thread) {
      echo.send({static_cast<std::uint8_t>(called_by(host, thread)), host, thread, 0});
    }
  }
  ns3::Simulator::Run();
}

void echo_sockets(std::uint64_t burst, const std::function<bool()>& burst_done) {
  const Star star;
  SocketEcho echo{burst, burst_done};
  ns3::NodeContainer nodes(star.middle);
  for (const auto& device : star.of_host) nodes.Add(device->GetNode());
  ns3::InternetStackHelper().Install(nodes);
  ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
  std::vector<ns3::Ipv4Address> address_of;
  for (unsigned host = 0; host < kEchoHosts; ++host) {
    ns3::NetDeviceContainer link(star.of_host[host]);
    link.Add(star.of_switch[host]);
    address_of.push_back(addresses.Assign(link).GetAddress(0));
    addresses.NewNetwork();
  }
  ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  const auto socket_of = [&](unsigned host, std::uint16_t port) {
    const auto socket = ns3::Socket::CreateSocket(star.of_host[host]->GetNode(), ns3::UdpSocketFactory::GetTypeId());
    socket->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
    return socket;
  };
  std::vector<ns3::Ptr<ns3::Socket>> sockets;
  for (unsigned host = 0; host < kEchoHosts; ++host) {
    for (unsigned thread = 0; thread < kEchoThreads; ++thread) {
      const auto port = static_cast<std::uint16_t>(1000 + thread);
      const auto server = socket_of(host, port), client = socket_of(host, static_cast<std::uint16_t>(2000 + thread));
      server->SetRecvCallback(ns3::MakeCallback(&SocketEcho::serve, &echo));
      client->SetRecvCallback(ns3::MakeCallback(&SocketEcho::receive, &echo));
      sockets.push_back(server);
      sockets.push_back(client);
      // Once all servers listen.
      const ns3::Address to = ns3::InetSocketAddress(address_of[called_by(host, thread)], port);
      ns3::Simulator::ScheduleNow(&SocketEcho::send, client, to);
    }
  }
  ns3::Simulator::Run();
}

}  // namespace

extern "C" void racksim_ns3_echo(std::uint64_t burst, bool stack, const std::function<bool()>& burst_done) {
  stack ? echo_sockets(burst, burst_done) : echo_frames(burst, burst_done);
  ns3::Simulator::Destroy();
}

}  // namespace racksim::tools
