// The echo in ns-3, a module of its own. See ns3_echo.hpp.
//
// Written for speed: no stack above the links, and the first bytes of a frame say where it goes, which tags and headers
// would say more slowly.
#include <ns3/drop-tail-queue.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>

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

struct Echo {
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

Device add_device(const ns3::Ptr<ns3::Node>& node, const ns3::Ptr<ns3::PointToPointChannel>& channel) {
  const auto device = ns3::CreateObject<ns3::PointToPointNetDevice>();
  device->SetAddress(ns3::Mac48Address::Allocate());
  device->SetDataRate(ns3::DataRate("100Gbps"));
  device->SetQueue(ns3::CreateObject<ns3::DropTailQueue<ns3::Packet>>());
  node->AddDevice(device);
  device->Attach(channel);
  return device;
}

}  // namespace

extern "C" void racksim_ns3_echo(std::uint64_t burst, const std::function<bool()>& burst_done) {
  Echo echo{burst, burst_done};
  const auto switch_node = ns3::CreateObject<ns3::Node>();
  for (unsigned host = 0; host < kEchoHosts; ++host) {
    const auto channel = ns3::CreateObject<ns3::PointToPointChannel>();
    channel->SetAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(400)));
    echo.of_host.push_back(add_device(ns3::CreateObject<ns3::Node>(), channel));
    echo.of_switch.push_back(add_device(switch_node, channel));
    echo.of_host.back()->SetReceiveCallback(ns3::MakeCallback(&Echo::receive, &echo));
    echo.of_switch.back()->SetReceiveCallback(ns3::MakeCallback(&Echo::forward, &echo));
  }
  for (unsigned i = 0; i < kEchoHosts * kEchoThreads; ++i) {
    // As in rpc_echo.cpp: thread t of a host calls a host t + 1 further on.
    const unsigned host = i % kEchoHosts, thread = i / kEchoHosts, called = (host + 1 + thread) % kEchoHosts;
    echo.send(
        {static_cast<std::uint8_t>(called), static_cast<std::uint8_t>(host), static_cast<std::uint8_t>(thread), 0});
  }
  ns3::Simulator::Run();
  ns3::Simulator::Destroy();
}

}  // namespace racksim::tools
