// What the two halves of a reliable connection share: who is at the other end, and how a packet for it begins.
#pragma once

#include <cstdint>

#include "models/nic/nic_engine.hpp"
#include "models/nic/verbs.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {

struct RcLink {
  NicEngine& engine;
  Qpn number = 0;
  NodeId remote = 0;
  Qpn remote_number = 0;

  /// Its state, as the engine numbers it.
  std::uint32_t state() const { return number - kFirstRdmaQpn; }
  p4::PacketRef make_packet(RcOpcode opcode, Psn psn) const {
    auto packet = engine.context().packets.make();
    packet->set_headers(
        p4::Ethernet{.dst = mac_of(remote), .ether_type = p4::kEtherTypeIpv4},
        p4::Ipv4{.protocol = p4::kProtocolUdp, .dst = ipv4_of(remote)},
        p4::Udp{.src_port = 0xc000 | (number & 0x3fff), .dst_port = kRoceUdpPort},
        Bth{.opcode = static_cast<std::uint64_t>(opcode), .dest_qp = remote_number, .psn = psn.number()});
    return packet;
  }
  /// Gives the packet a payload of so many bytes, padded to words of 4.
  static void set_payload(p4::Packet& packet, std::uint32_t bytes) {
    packet.payload_bytes = ((bytes + 3) & ~3u) + kIcrcBytes;
    packet.get<Bth>().flags = ((bytes + 3) & ~3u) - bytes;  // the pad count
  }
  static std::uint32_t payload_of(const p4::Packet& packet) {
    return packet.payload_bytes - kIcrcBytes - static_cast<std::uint32_t>(packet.get<Bth>().flags);
  }
  /// Segments of a message, at least one.
  std::uint32_t segments(std::uint32_t bytes) const {
    const auto mtu = static_cast<std::uint32_t>(engine.options().mtu_bytes);
    return bytes == 0 ? 1 : (bytes - 1) / mtu + 1;
  }
  std::uint32_t mtu() const { return static_cast<std::uint32_t>(engine.options().mtu_bytes); }
};

}  // namespace racksim::models
