// The RoCE v2 headers that reliable connections use (InfiniBand specification, volume 1, chapter 9;
// models/hardware.md 7.1).
#pragma once

#include "p4model/language/header.hpp"

namespace racksim::models {

/// Base transport header.
struct Bth {
  std::uint64_t opcode = 0, flags = 0, partition_key = 0xffff, reserved = 0, dest_qp = 0, ack_request = 0,
                reserved_7 = 0, psn = 0;
  static constexpr p4::HeaderLayout kLayout{"bth",
                                            {{"opcode", 8},
                                             {"flags", 8},
                                             {"partition_key", 16},
                                             {"reserved", 8},
                                             {"dest_qp", 24},
                                             {"ack_request", 1},
                                             {"reserved_7", 7},
                                             {"psn", 24}}};
};

/// RDMA extended transport header, in the first segment of a WRITE.
struct Reth {
  std::uint64_t address = 0, remote_key = 0, length = 0;
  static constexpr p4::HeaderLayout kLayout{"reth", {{"address", 64}, {"remote_key", 32}, {"length", 32}}};
};

/// Acknowledgement extended transport header.
struct Aeth {
  std::uint64_t syndrome = 0, msn = 0;
  static constexpr p4::HeaderLayout kLayout{"aeth", {{"syndrome", 8}, {"msn", 24}}};
};

/// Opcodes of the reliable connection service.
enum class RcOpcode : std::uint8_t {
  send_first = 0x00,
  send_middle = 0x01,
  send_last = 0x02,
  send_only = 0x04,
  write_first = 0x06,
  write_middle = 0x07,
  write_last = 0x08,
  write_only = 0x0a,
  acknowledge = 0x11,
};

inline constexpr std::uint64_t kRoceUdpPort = 4791;
inline constexpr std::uint64_t kSyndromeAck = 0x00, kSyndromeNakSequence = 0x60;
inline constexpr std::uint32_t kIcrcBytes = 4;
inline constexpr std::uint32_t kPsnMask = 0xffffff;

/// a - b for 24-bit sequence numbers less than half the range apart.
constexpr std::int32_t psn_difference(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>((a - b) << 8) >> 8;
}

}  // namespace racksim::models
