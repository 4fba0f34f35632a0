// StarCache's switch data plane as a program (StarCache §3.1, §3.3 to §3.5, §3.7, §3.9; Figures 2 and 4 to 6).
//
//   stage 0   what the packet is to the cache (its role), lookup table
//   stage 1   STATE, POPULARITY, HITS; index x queue size
//   stage 2   QUEUE: length and ACKed packets (request table, its first stage)
//   stage 3   FRONT, REAR (its second stage), OVERFLOW
//   stage 4   request index = index x queue size + offset; forwarding by MAC
//   stage 5   CLIENT_IP, CLIENT_PORT, CLIENT_SEQ (its third stage)
//   stage 6   clone table; forwarding by IPv4
//
// The paper's prototype takes 10 stages (§4). Request tables of more than 64 K slots take more than seven: a stage has
// map RAM for 48 SRAM blocks of registers, too little for the three metadata arrays together. The egress is empty.
//
// Two state tables exist. The printed one is a bit per key, valid or invalid (§3.3). It lets an old value circulate
// when the key is invalid for less than a loop of the cache packet, or when two writes of a key overlap. The repaired
// one (`StarShape::versions`) counts the writes and fetches of a key; a write or fetch takes its number to the server
// and back, only the reply to the latest validates, and only packets that came with it are served.
//
// With versions an item of several packets is served in the order of their numbers, and from the first again when a
// write or fetch has made the rest of it worthless. As printed packets are counted, not told apart (§3.9): a request
// whose item is replaced while it is served gets the rest of the new one, and one for an item whose first packet
// circulates before the others have come gets that one twice.
//
// Of a switch with several pipes each has tables and registers of its own, and its cache packets go round by its own
// recirculation port (§3.10). The control CPU's port is in the first pipe: with versions an F-REQ for an item of
// another one goes there first, by that pipe's recirculation port, to get its version where the item is cached.
//
// Of several racks the switch of a server's rack alone applies the cache logic (§3.9): to requests for the servers that
// its control plane names, and to their replies. Packets of others pass, whatever the lookup table holds.
#pragma once

#include <cstdint>

#include "protocols/switch_cache/cache_program.hpp"

namespace racksim::starcache {

/// What the program is generated for.
struct StarShape {
  std::uint16_t recirculation_port = 68;        ///< packets that come in by it are cache packets (§3.3)
  unsigned pipes = 1;                           ///< the recirculation ports of the others follow on that of the first
  std::uint64_t cache_entries = 4096;           ///< rows of the lookup table and of the arrays with an entry per key
  std::uint64_t queue_size = 16;                ///< requests that wait per key, a power of two
  bool versions = false;                        ///< the repaired state table; messages then end with a SafetyHeader
  std::uint64_t largest_version = 0xffff'ffff;  ///< after which 1 follows

  bool own_servers_only = false;  ///< the cache logic is for packets of the servers that `StarProgram` is told

  // Each switches a safety mechanism off.
  bool invalidate = true;  ///< a write request invalidates its key (§3.7)
  bool drop_stale = true;  ///< a cache packet is dropped when its key is invalid or it is of another version (§3.7)
  bool set_flag = true;    ///< a write request for a cached key asks for the value in the reply (§3.3)
};

/// The most requests that can wait, of all keys: a register array has 35 SRAM blocks of 4096 words of 32 bits.
inline constexpr std::uint64_t kMostRequests = 143'360;
/// The most keys: the lookup table hands out indices of 16 bits.
inline constexpr std::uint64_t kMostEntries = 65'536;

/// The program and the handles that the control plane fills and reads it by.
///
/// Before it inserts a key the control plane makes its STATE invalid and, the first time, writes 1 to the high half of
/// its QUEUE (ACKed packets, §3.9). With versions the low half of STATE must differ from the version of each reply that
/// may still come for that key, which a reply to a write from before its eviction has: a count that goes on from one
/// insertion of the key to the next will do.
///
/// The clone table must know all clients and the controller: a packet to be cloned that misses it is dropped.
struct StarProgram : switch_cache::CacheProgram {
  const p4::Table* clone = nullptr;  ///< client's or controller's IPv4 address -> clone_to
  /// Values: the multicast group of {port of that address, recirculation port}, and its MAC address.
  const p4::Action* clone_to = nullptr;

  // With `own_servers_only`: IPv4 address of a server of the rack -> own_server, of requests for it and replies of it.
  const p4::Table *own_request = nullptr, *own_reply = nullptr;
  const p4::Action* own_server = nullptr;
  /// Of several pipes, with versions: IPv4 address of a server whose items are in another -> to_pipe, for F-REQs.
  const p4::Table* fetch_pipe = nullptr;
  const p4::Action* to_pipe = nullptr;  ///< value: that pipe's recirculation port

  // By table index.
  const p4::RegisterArray* queue = nullptr;  ///< lo: requests that wait, hi: number of the next packet of the item
  const p4::RegisterArray* front = nullptr;
  const p4::RegisterArray* rear = nullptr;
  // By request index: table index x queue size + offset.
  const p4::RegisterArray* client_ip = nullptr;
  const p4::RegisterArray* client_port = nullptr;
  const p4::RegisterArray* client_seq = nullptr;
  // One entry.
  const p4::RegisterArray* overflow = nullptr;
};

/// Builds the program. Throws std::runtime_error for a shape whose request table no register array holds.
StarProgram make_star_program(const StarShape& shape);

}  // namespace racksim::starcache
