// FlowCC's packets: the header of Table 1, and the fields that the loss scheme of §5.3 needs besides; and its RC WRITEs
// of blocks, with the addresses that they go to.
#pragma once

#include <cstdint>

#include "p4model/language/header.hpp"
#include "protocols/flowcc/rules/block.hpp"

namespace racksim::flowcc {

/// Reserved UDP source port by which the switch knows a coherence packet (§6).
inline constexpr std::uint64_t kFlowCcPort = 0xfcc0;

/// Who on the receiving node a packet is for. The switch turns it into the UDP destination port, which is the number of
/// the receiver's queue pair (§6).
enum class Receiver : std::uint8_t { home_agent = 0, cache_agent = 1, requester = 2, shadow = 3 };

/// The header that every FlowCC packet carries after UDP.
///
/// Beyond Table 1: `requester` (node_id is too coarse for several threads a node), `seq` (§5.3.1), `serial` (rule (i)
/// below), `set_index` (the switch's hash unit yields 2^n indices and its arrays have 41,667 entries a way: the sender
/// reduces the hash), `retransmitted` and `from_home`, and `receiver`, `reply_qp` for the rewriting of the UDP port.
struct FlowCcHeader {
  std::uint64_t type = 0;
  std::uint64_t receiver = 0;
  std::uint64_t is_data_provider = 0;
  std::uint64_t is_in_switch = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t from_home = 0;    ///< in an ACK: the home agent sends the data
  std::uint64_t lost_race = 0;    ///< in a FAILED-ACK: the request makes no sense any more; else somebody has the lock
  std::uint64_t after_death = 0;  ///< in a grant of an application's lock: the last holder has died with it
  std::uint64_t padding = 0;
  std::uint64_t provider = 0;  ///< replication id (node + 1) of the copy to be flagged, from ingress to egress
  std::uint64_t global_status = 0;
  std::uint64_t tag_high = 0, tag_low = 0;
  std::uint64_t set_index = 0;
  std::uint64_t node_id = 0;    ///< the requester's node; in an ACK of an agent: the agent's node
  std::uint64_t requester = 0;  ///< number of the application thread in the rack
  std::uint64_t reply_qp = 0;   ///< the requester's queue pair
  std::uint64_t seq = 0;        ///< number of the coherence event, per requester (§5.3.1)
  std::uint64_t serial = 0;     ///< number of the transmission, per requester
  std::uint64_t copyset = 0;

  static constexpr p4::HeaderLayout kLayout{
      "flowcc", {{"type", 8},          {"receiver", 8},   {"is_data_provider", 1}, {"is_in_switch", 1},
                 {"retransmitted", 1}, {"from_home", 1},  {"lost_race", 1},        {"after_death", 1},
                 {"padding", 2},       {"provider", 8},   {"global_status", 8},    {"tag_high", 32},
                 {"tag_low", 32},      {"set_index", 16}, {"node_id", 16},         {"requester", 16},
                 {"reply_qp", 16},     {"seq", 32},       {"serial", 32},          {"copyset", 32}}};

  // On the wire and in the switch a tag stands plus one: an entry of the TAG array that nobody uses holds 0.
  Tag tag() const { return sim::Key{(tag_high << 32 | tag_low) - 1}; }
  void set_tag(Tag tag) { tag_high = (tag + 1) >> 32, tag_low = (tag + 1) & 0xffffffff; }
  MessageType message_type() const { return static_cast<MessageType>(type); }
  void set_type(MessageType t) { type = static_cast<std::uint64_t>(t); }
  GlobalMetadata metadata() const { return {static_cast<GlobalStatus>(global_status), static_cast<Copyset>(copyset)}; }
  void set_metadata(GlobalMetadata m) {
    global_status = static_cast<std::uint64_t>(m.status);
    copyset = m.copyset;
  }
};

/// The index at which a block's metadata can stand, the same in every way: a hash of its tag, reduced to the range of
/// the arrays by the sender (the switch compares tags, so a wrong index could only miss).
constexpr std::uint64_t set_index(Tag tag, std::uint64_t entries_per_way) {
  std::uint64_t h = (tag ^ (tag >> 31)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 29)) * 0x94d049bb133111ebull;
  return (h >> 16) % entries_per_way;
}

/// Where a block's RC WRITE lands on the receiving node: in global memory, or in the buffer of one coherence event.
/// Every event has a buffer of its own, so a late WRITE never overwrites newer data.
struct DataAddress {
  static constexpr std::uint64_t kEventBuffer = std::uint64_t{1} << 63;
  static constexpr std::uint64_t global_memory(Tag tag) { return tag; }
  static constexpr std::uint64_t event_buffer(RequesterId requester, Seq seq) {
    return kEventBuffer | std::uint64_t{requester} << 32 | seq;
  }
  /// When all have stopped: what a cache agent tells a home of its blocks, and which of them the home wants.
  static constexpr std::uint64_t kReport = std::uint64_t{1} << 62, kWanted = kReport + 1;
  /// What a home tells witnesses: blocks whose orphaned locks somebody has got (lock_log.hpp).
  static constexpr std::uint64_t kTold = kReport + 2;
  /// The place of a requester's lock in the log of its witness.
  static constexpr std::uint64_t kLockLog = kReport | std::uint64_t{1} << 32;
  static constexpr std::uint64_t lock_log(RequesterId requester) { return kLockLog | requester; }
  static constexpr bool is_lock_log(std::uint64_t address) { return address >> 32 == kLockLog >> 32; }
  static constexpr bool is_event_buffer(std::uint64_t address) { return (address & kEventBuffer) != 0; }
  static constexpr unsigned requester(std::uint64_t address) { return static_cast<unsigned>(address >> 32 & 0xffff); }
  static constexpr std::uint32_t seq(std::uint64_t address) { return static_cast<std::uint32_t>(address); }
};

/// What an RC WRITE to a lock log brings: that an application has a lock, or has given it back.
struct LoggedLock {
  static constexpr std::uint32_t kBytes = 8;  ///< the tag, or none: the address says whose it is
  Tag tag = 0;
  std::uint32_t requester = 0;
  bool held = false;
};

/// What an RC WRITE of a block brings. Beside its data a block has the number of times that somebody has got the
/// permission to write it: after a failure that tells which of several copies is the newest.
struct BlockData {
  Tag tag = 0;
  sim::Value value = 0;
  std::uint32_t version = 0;
};

}  // namespace racksim::flowcc
