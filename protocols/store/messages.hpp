// The messages of the client-server application (StarCache §3.2, Figure 3; §4): Ethernet, IPv4, UDP, then the headers
// here, then the key and the value.
//
// The design's header is 22 bytes. The prototype appends six bytes to measure with (§4), and so does this application.
// A third header is ours: it carries what exactly-once writes and the repaired coherence need, and is absent when
// neither is asked for.
#pragma once

#include <cstdint>

#include "p4model/language/header.hpp"
#include "sim/record/ids.hpp"

namespace racksim::store {

/// The operation type, OP (§3.2), of the messages between clients and servers; numbers of the public artifact. The
/// type is open: what a scheme adds has numbers of its own (switch_cache/messages.hpp), which go to its extension of a
/// server or to its controller.
enum class Op : std::uint8_t {
  read_request = 0,        ///< R-REQ
  read_reply = 1,          ///< R-REP, also a cache packet
  write_request = 2,       ///< W-REQ
  write_reply = 3,         ///< W-REP
  correction_request = 4,  ///< CRN-REQ: a read that the cache must not serve
  write_refused = 7,       ///< ours: a write that came in the wrong order for the scheme, to be sent again
};

constexpr std::uint64_t number(Op op) {
  return static_cast<std::uint64_t>(op);
}

/// UDP ports by which the switch knows a message of the application, 64 of them as in the artifact: the first raw queue
/// pairs of each NIC. Clients and servers use both ends of each message within the range.
inline constexpr std::uint16_t kFirstPort = 8192, kPorts = 64;

/// The 22 bytes of Figure 3.
struct StoreHeader {
  std::uint64_t op = 0;
  std::uint64_t seq = 0;                      ///< request id of the client
  std::uint64_t hkey_high = 0, hkey_low = 0;  ///< 128-bit hash of the key
  /// In a write request: 1 if the key is cached, so that the reply must bring the value. In replies: packets of the
  /// item.
  std::uint64_t flag = 0;

  static constexpr p4::HeaderLayout kLayout{"store",
                                            {{"op", 8}, {"seq", 32}, {"hkey_high", 64}, {"hkey_low", 64}, {"flag", 8}}};

  Op operation() const { return static_cast<Op>(op); }
  void set(Op o) { op = number(o); }
  bool operator==(const StoreHeader&) const = default;
};
static_assert(StoreHeader::kLayout.bytes() == 22);

/// The prototype's three extra fields (§4).
struct MeasureHeader {
  std::uint64_t cached = 0;     ///< a Served: by whom the request is or was answered
  std::uint64_t latency = 0;    ///< unused here: clients measure latency themselves
  std::uint64_t partition = 0;  ///< of the node that emulates several servers

  static constexpr p4::HeaderLayout kLayout{"measure", {{"cached", 8}, {"latency", 32}, {"partition", 8}}};
};
static_assert(MeasureHeader::kLayout.bytes() == 6);

/// Values of MeasureHeader::cached, as in the artifact; also the numbers of labels (answer_labels.hpp).
enum class Served : std::uint8_t {
  by_server = 0,
  by_switch = 1,
  overflow = 2,  ///< by a server, because the request table of the cached key was full
};

/// Ours. `version` is the switch's count of the writes (and fetches) of a cached key (version.hpp), 0 in a write
/// request that passed while its key was not cached. `oldest_or_number` is, in requests, the client's oldest request
/// without an answer: servers may forget the results of writes before it (as in RIFL, Lee et al., SOSP '15). In replies
/// it is the packet's number among those of its item, from 1, so that the switch can serve each of them once.
struct SafetyHeader {
  std::uint64_t version = 0;
  std::uint64_t oldest_or_number = 0;

  static constexpr p4::HeaderLayout kLayout{"safety", {{"version", 32}, {"oldest_or_number", 32}}};
};

/// A value of at most 64 bytes, shorter ones padded, where NetCache's switch can reach it. All words follow from the
/// simulated value, so that who reads them knows that all stages of the switch had the same one.
struct ValueHeader {
  std::uint64_t w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0, w8 = 0, w9 = 0, w10 = 0, w11 = 0,
                w12 = 0, w13 = 0, w14 = 0, w15 = 0;

  static constexpr unsigned kWords = 16;
  static constexpr p4::HeaderLayout kLayout{"value",
                                            {{"w0", 32},
                                             {"w1", 32},
                                             {"w2", 32},
                                             {"w3", 32},
                                             {"w4", 32},
                                             {"w5", 32},
                                             {"w6", 32},
                                             {"w7", 32},
                                             {"w8", 32},
                                             {"w9", 32},
                                             {"w10", 32},
                                             {"w11", 32},
                                             {"w12", 32},
                                             {"w13", 32},
                                             {"w14", 32},
                                             {"w15", 32}}};
  /// Word `i` of a value: its halves, in the first two as they are.
  static constexpr std::uint64_t word(sim::Value value, unsigned i) {
    return ((value >> i % 2 * 32) + std::uint64_t{i / 2} * 0x9e3779b9) & 0xffff'ffff;
  }
  /// The value whose words `i` (even) and `i` + 1 these are.
  static constexpr sim::Value value_of(std::uint64_t low, std::uint64_t high, unsigned i) {
    const std::uint64_t added = std::uint64_t{i / 2} * 0x9e3779b9;
    return sim::Value{((low - added) & 0xffff'ffff) | ((high - added) & 0xffff'ffff) << 32};
  }
  /// What is read where the words are not of one value; nobody writes it.
  static constexpr sim::Value kMixed{0xffff'ffff'ffff'ffff >> 16};
  /// The value whose words `word_at(i)` returns, or kMixed.
  template <class WordAt>
  static sim::Value value_of(WordAt&& word_at) {
    const sim::Value value{std::uint64_t{word_at(1)} << 32 | word_at(0)};
    for (unsigned i = 2; i < kWords; ++i) {
      if (word_at(i) != word(value, i)) return kMixed;
    }
    return value;
  }
};
static_assert(ValueHeader::kLayout.bytes() == 64 && ValueHeader::kLayout.count == ValueHeader::kWords);

/// Bytes of UDP payload in a packet (§3.2: 22 bytes of header leave 1438 for key and value).
inline constexpr std::uint32_t kMostPayload = 1460;

}  // namespace racksim::store
