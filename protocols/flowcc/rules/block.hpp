// A block's global metadata and the rules that every owner of it applies: check table, forward table and state
// transitions (Concordia §5.1.1, Tables 2 and 3, Figure 6). The switch program is generated from the same tables that
// the home agent executes, so the two owners cannot drift apart.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "models/host/global_address.hpp"
#include "sim/record/ids.hpp"

namespace racksim::flowcc {

using models::NodeId;

/// The tag of a block: its address without the offset in the block. Its home is in the upper bits.
using Tag = sim::Key;
/// One of the rack's requesters: its node times the threads of a node, plus its thread.
using RequesterId = sim::Id<struct RequesterKind, std::uint32_t>;
/// The number of a coherence event, counted by its requester (§5.3.1).
using Seq = sim::Id<struct SeqKind, std::uint32_t>;

/// How a block is cached in the rack. The numbers are the switch's G-STATUS values.
enum class GlobalStatus : std::uint8_t {
  unshared = 0,  ///< no node caches it
  shared = 1,    ///< some nodes hold a clean copy
  modified = 2,  ///< one node holds the only, dirty copy
};

/// The set of nodes that hold a block, one bit a node.
using Copyset = std::uint32_t;
constexpr Copyset node_bit(NodeId node) {
  return Copyset{1} << node;
}

/// Status and copyset of a block: what its owner stores.
struct GlobalMetadata {
  GlobalStatus status = GlobalStatus::unshared;
  Copyset copyset = 0;
  bool operator==(const GlobalMetadata&) const = default;
};

/// Whether status and copyset agree: nobody has an Unshared block, some node a Shared one, one node a Modified one.
constexpr bool consistent(GlobalMetadata metadata, unsigned nodes) {
  const int holders = std::popcount(metadata.copyset);
  const bool agree = metadata.status == GlobalStatus::unshared ? holders == 0
                     : metadata.status == GlobalStatus::shared ? holders > 0
                                                               : holders == 1;
  return agree && (metadata.copyset >> nodes) == 0;
}

/// What travels in FlowCC packets. The first five are the coherence requests of §5.1.1.
enum class MessageType : std::uint8_t {
  none = 0,
  read_miss = 1,
  write_miss = 2,
  write_shared = 3,    ///< write to a clean copy
  evict_shared = 4,    ///< drop a clean copy
  evict_modified = 5,  ///< write back and drop a dirty copy
  // What a node that holds a copy asks for when an application locks the block; who holds none sends a miss
  // (block_locks.hpp).
  lock_shared = 6,
  lock_exclusive = 7,
  unlock_read = 8,   ///< release a read lock, with new metadata
  unlock_write = 9,  ///< release a write lock, with new metadata
  ack = 10,
  failed_ack = 11,
  unlock_ack = 12,
  // Migration (§5.2), from home agents; REMOVE-FROM-SWITCH in two phases (lcf_program.hpp).
  add_to_switch = 13,
  remove_from_switch = 14,  ///< takes the write lock, like a request that nothing checks; answered with the metadata
  clear = 15,               ///< gives the block up, and the lock
  // Hints of and for the shadow node, which the switch passes on like any packet (§5.2.2).
  heat_report = 16,     ///< of a cache agent: how often it has invalidated which blocks of the switch
  listing = 17,         ///< of a home agent: blocks that the switch has
  removal_notice = 18,  ///< to a home agent: a block that is cold
};
inline constexpr std::array kRequests{
    MessageType::read_miss,      MessageType::write_miss,  MessageType::write_shared,  MessageType::evict_shared,
    MessageType::evict_modified, MessageType::lock_shared, MessageType::lock_exclusive};
const char* to_string(MessageType type);
const char* to_string(GlobalStatus status);
/// "{n0, n2}".
std::string to_text(Copyset copyset);

/// Whether a message asks for a lock; the others return it or answer.
constexpr bool is_request(MessageType type) {
  return type >= MessageType::read_miss && type <= MessageType::lock_exclusive;
}

/// A READ-MISS takes the read lock; every other request the write lock, EVICT-SHARED included, because two of those at
/// once could lead to different states (§5.1.1).
constexpr bool takes_read_lock(MessageType type) {
  return type == MessageType::read_miss || type == MessageType::lock_shared;
}

/// Check table (Table 2): whether a request still makes sense when it holds the lock.
constexpr bool check(MessageType type, bool requester_in_copyset, GlobalStatus status) {
  switch (type) {
    case MessageType::read_miss:
    case MessageType::write_miss:
      return !requester_in_copyset;
    case MessageType::write_shared:
    case MessageType::evict_shared:
      return requester_in_copyset && status == GlobalStatus::shared;
    case MessageType::evict_modified:
      return requester_in_copyset && status == GlobalStatus::modified;
    case MessageType::lock_shared:
    case MessageType::lock_exclusive:
      return requester_in_copyset && status != GlobalStatus::unshared;
    default:
      return false;
  }
}

/// Where a valid request goes (Table 3).
enum class Route : std::uint8_t {
  home_agent,     ///< no copy exists: the data are in global memory
  provider,       ///< one holder of a copy, which sends the data
  all_holders,    ///< every holder, one of them flagged as data provider
  other_holders,  ///< every holder but the requester; with no other holder the owner acknowledges at once
  requester,      ///< back: holding the lock is all that an eviction or the only holder needs
};

/// Forward table (Table 3). `retransmitted` READ-MISSes of a Shared block go to all holders: an earlier transmission
/// may have reached a holder (the owner of a then Modified block) that another reader's unlock has since turned into
/// one of many sharers, and that must not execute the request after the event is over. The requester then waits for all
/// acknowledgements, so every possible receiver has recorded the sequence number. The paper leaves this open.
///
/// Pairs that the check table never lets through go where a switch without that table would send them.
constexpr Route route(MessageType type, GlobalStatus status, bool retransmitted) {
  switch (type) {
    case MessageType::read_miss:
      if (status == GlobalStatus::unshared) return Route::home_agent;
      return status == GlobalStatus::shared && retransmitted ? Route::all_holders : Route::provider;
    case MessageType::write_miss:
      return status == GlobalStatus::unshared ? Route::home_agent : Route::all_holders;
    case MessageType::write_shared:
      return Route::other_holders;
    case MessageType::lock_exclusive:
      return status == GlobalStatus::shared ? Route::other_holders : Route::requester;
    default:
      return Route::requester;
  }
}

/// New metadata after an event, generated by the requester (§5.1.1, Figure 6).
constexpr GlobalMetadata after(MessageType type, NodeId requester, GlobalMetadata old) {
  switch (type) {
    case MessageType::read_miss:
    case MessageType::lock_shared:
      return {GlobalStatus::shared, old.copyset | node_bit(requester)};
    case MessageType::write_miss:
    case MessageType::write_shared:
    case MessageType::lock_exclusive:
      return {GlobalStatus::modified, node_bit(requester)};
    case MessageType::evict_shared: {
      const Copyset left = old.copyset & ~node_bit(requester);
      return {left == 0 ? GlobalStatus::unshared : GlobalStatus::shared, left};
    }
    case MessageType::evict_modified:
      return {GlobalStatus::unshared, 0};
    default:
      return old;
  }
}

}  // namespace racksim::flowcc
