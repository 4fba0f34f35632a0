// The headers that every network of the rack shares (IEEE 802.3, RFC 791, RFC 768). Others live with who uses them.
#pragma once

#include "p4model/language/header.hpp"

namespace racksim::p4 {

struct Ethernet {
  std::uint64_t dst = 0, src = 0, ether_type = 0;
  static constexpr HeaderLayout kLayout{"ethernet", {{"dst", 48}, {"src", 48}, {"ether_type", 16}}};
};

struct Ipv4 {
  std::uint64_t version = 4, ihl = 5, dscp = 0, ecn = 0, total_length = 0, identification = 0, flags = 0,
                fragment_offset = 0, ttl = 64, protocol = 0, checksum = 0, src = 0, dst = 0;
  static constexpr HeaderLayout kLayout{"ipv4",
                                        {{"version", 4},
                                         {"ihl", 4},
                                         {"dscp", 6},
                                         {"ecn", 2},
                                         {"total_length", 16},
                                         {"identification", 16},
                                         {"flags", 3},
                                         {"fragment_offset", 13},
                                         {"ttl", 8},
                                         {"protocol", 8},
                                         {"checksum", 16},
                                         {"src", 32},
                                         {"dst", 32}}};
};

struct Udp {
  std::uint64_t src_port = 0, dst_port = 0, length = 0, checksum = 0;
  static constexpr HeaderLayout kLayout{"udp", {{"src_port", 16}, {"dst_port", 16}, {"length", 16}, {"checksum", 16}}};
};

inline constexpr std::uint64_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint64_t kProtocolUdp = 17;

}  // namespace racksim::p4
