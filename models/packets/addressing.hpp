// The addresses of servers: MAC 02:00:00:00:hh:ll and IPv4 10.0.hh.ll for node id hhll - 1, so that none is zero; those
// of multicast groups; and the serials of packets, which tell where one comes from however the switch rewrites it.
#pragma once

#include <cstdint>

#include "models/packets/rack_context.hpp"

namespace racksim::models {

constexpr std::uint64_t mac_of(NodeId node) {
  return 0x0200'0000'0000 + node + 1;
}
constexpr std::uint64_t ipv4_of(NodeId node) {
  return 0x0a00'0000 + node + 1;
}
/// The server of an address that `ipv4_of` gave.
constexpr NodeId node_of_ipv4(std::uint64_t address) {
  return static_cast<NodeId>(address - ipv4_of(0));
}

/// The addresses of a multicast group: IPv4 239.0.gg.gg for group gggg, which is administratively scoped (RFC 2365),
/// and the MAC address that goes with it (RFC 1112, section 6.4).
constexpr std::uint64_t multicast_mac_of(std::uint16_t group) {
  return 0x0100'5e00'0000 + group;
}
constexpr std::uint64_t multicast_ipv4_of(std::uint16_t group) {
  return 0xef00'0000 + group;
}

/// The node id that the switch's control CPU is addressed by; no server has it.
inline constexpr NodeId kControlCpuNode = 0xfffd;
/// Those of several switches follow each other downwards. No rack has as many switches as these leave room for.
constexpr NodeId control_cpu_node(unsigned network_switch) {
  return static_cast<NodeId>(kControlCpuNode - network_switch);
}
constexpr bool is_control_cpu(NodeId node) {
  return node <= kControlCpuNode && node > kControlCpuNode - 256;
}

/// The serial of the `number`th packet that a server's NIC sends. Copies made on the way keep it.
constexpr std::uint64_t packet_serial(NodeId node, std::uint64_t number) {
  return std::uint64_t{node} << 48 | number;
}
/// The server whose NIC made the packet with this serial.
constexpr NodeId origin_of(std::uint64_t serial) {
  return static_cast<NodeId>(serial >> 48);
}

}  // namespace racksim::models
