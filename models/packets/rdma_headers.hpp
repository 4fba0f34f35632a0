// The RoCE v2 headers that reliable connections use (InfiniBand specification, volume 1, chapter 9;
// docs/hardware.md 7.1).
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

/// Immediate data, of the last segment of a message that brings any.
struct ImmDt {
  std::uint64_t immediate = 0;
  static constexpr p4::HeaderLayout kLayout{"immdt", {{"immediate", 32}}};
};

/// Atomic extended transport header, of a compare-and-swap or fetch-and-add.
struct AtomicEth {
  std::uint64_t address = 0, remote_key = 0, swap_or_add = 0, compare = 0;
  static constexpr p4::HeaderLayout kLayout{
      "atomiceth", {{"address", 64}, {"remote_key", 32}, {"swap_or_add", 64}, {"compare", 64}}};
};

/// Atomic acknowledgement extended transport header: what the atomic found.
struct AtomicAckEth {
  std::uint64_t old_value = 0;
  static constexpr p4::HeaderLayout kLayout{"atomicacketh", {{"old_value", 64}}};
};

/// Datagram extended transport header.
struct Deth {
  std::uint64_t queue_key = 0, reserved = 0, source_qp = 0;
  static constexpr p4::HeaderLayout kLayout{"deth", {{"queue_key", 32}, {"reserved", 8}, {"source_qp", 24}}};
};

/// Acknowledgement extended transport header.
struct Aeth {
  std::uint64_t syndrome = 0, msn = 0;
  static constexpr p4::HeaderLayout kLayout{"aeth", {{"syndrome", 8}, {"msn", 24}}};
};

/// Opcodes of the reliable connection service, and of the one datagram service.
enum class RcOpcode : std::uint8_t {
  send_first = 0x00,
  send_middle = 0x01,
  send_last = 0x02,
  send_last_imm = 0x03,
  send_only = 0x04,
  send_only_imm = 0x05,
  write_first = 0x06,
  write_middle = 0x07,
  write_last = 0x08,
  write_last_imm = 0x09,
  write_only = 0x0a,
  write_only_imm = 0x0b,
  read_request = 0x0c,
  read_response_first = 0x0d,
  read_response_middle = 0x0e,
  read_response_last = 0x0f,
  read_response_only = 0x10,
  acknowledge = 0x11,
  atomic_acknowledge = 0x12,
  compare_swap = 0x13,
  fetch_add = 0x14,
  datagram_send_only = 0x64,
  datagram_send_only_imm = 0x65,
};

/// Where a packet stands in its message.
constexpr bool is_first(RcOpcode opcode) {
  return opcode == RcOpcode::send_first || opcode == RcOpcode::write_first || opcode == RcOpcode::read_response_first ||
         opcode == RcOpcode::read_response_only ||
         (opcode >= RcOpcode::send_only && opcode <= RcOpcode::send_only_imm) ||
         (opcode >= RcOpcode::write_only && opcode <= RcOpcode::write_only_imm);
}
constexpr bool is_last(RcOpcode opcode) {
  return (opcode >= RcOpcode::send_last && opcode <= RcOpcode::send_only_imm) ||
         (opcode >= RcOpcode::write_last && opcode <= RcOpcode::write_only_imm) ||
         opcode == RcOpcode::read_response_last || opcode == RcOpcode::read_response_only;
}
constexpr bool is_send(RcOpcode opcode) {
  return opcode <= RcOpcode::send_only_imm;
}
constexpr bool is_write(RcOpcode opcode) {
  return opcode >= RcOpcode::write_first && opcode <= RcOpcode::write_only_imm;
}
constexpr bool is_read_response(RcOpcode opcode) {
  return opcode >= RcOpcode::read_response_first && opcode <= RcOpcode::read_response_only;
}
constexpr bool brings_immediate(RcOpcode opcode) {
  return opcode == RcOpcode::send_last_imm || opcode == RcOpcode::send_only_imm || opcode == RcOpcode::write_last_imm ||
         opcode == RcOpcode::write_only_imm || opcode == RcOpcode::datagram_send_only_imm;
}

inline constexpr std::uint64_t kRoceUdpPort = 4791;
/// The queue pair that a datagram for a multicast group names (InfiniBand specification, volume 1, chapter 10.5).
inline constexpr std::uint64_t kMulticastQpn = 0xffffff;
/// Syndromes of the AETH: an acknowledgement, the receiver that is not ready (with its timer's code in the low five
/// bits), and what is wrong.
inline constexpr std::uint64_t kSyndromeAck = 0x00, kSyndromeRnr = 0x20, kSyndromeNakSequence = 0x60,
                               kSyndromeNakInvalidRequest = 0x61, kSyndromeNakAccess = 0x62;
inline constexpr std::uint32_t kIcrcBytes = 4;
/// What PSNs and message sequence numbers wrap around at.
inline constexpr std::uint32_t kSequenceMask = 0xffffff;

/// Packets of a connection that may be without an acknowledgement: of half the numbers a responder can tell what is new
/// from what comes again (InfiniBand specification, volume 1, chapter 9.7.2).
inline constexpr std::uint32_t kMostOutstandingPackets = (kSequenceMask + 1) / 2;

/// A packet sequence number of a reliable connection: 24 bits, which wrap around.
class Psn {
 public:
  constexpr Psn() = default;
  /// Of a number, its low 24 bits.
  explicit constexpr Psn(std::uint64_t number) : number_(static_cast<std::uint32_t>(number) & kSequenceMask) {}

  constexpr std::uint32_t number() const { return number_; }
  bool operator==(const Psn&) const = default;
  friend constexpr Psn operator+(Psn psn, std::uint32_t packets) { return Psn(psn.number_ + packets); }
  friend constexpr Psn operator-(Psn psn, std::uint32_t packets) { return Psn(psn.number_ - packets); }
  /// How far `a` is ahead of `b`, negative if it is behind: from half the range behind to less than that ahead.
  friend constexpr std::int32_t operator-(Psn a, Psn b) {
    return static_cast<std::int32_t>((a.number_ - b.number_) << 8) >> 8;
  }
  /// How many numbers there are from `from` on before `to`, wherever that is.
  friend constexpr std::uint32_t count_between(Psn from, Psn to) { return (to.number_ - from.number_) & kSequenceMask; }

 private:
  std::uint32_t number_ = 0;
};

}  // namespace racksim::models
