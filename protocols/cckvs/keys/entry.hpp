// A key in the cache of one node: its header and value, and what is under way about it.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "protocols/cckvs/keys/timestamp.hpp"
#include "sim/record/ids.hpp"

namespace racksim::cckvs {

/// The states of Lin (§5.2). SC has Valid alone.
enum class CacheState : std::uint8_t {
  valid,
  invalid,  ///< waits for the update with its timestamp
  write,    ///< a put of this node waits for acknowledgements
  count
};

/// The eight bytes before each value, as printed (§6.2).
struct Header {
  std::uint32_t version = 0;             ///< the Lamport clock
  CacheState state = CacheState::valid;  ///< Lin alone
  std::uint8_t writer = 0;               ///< the node that wrote last
  std::uint8_t acks = 0;                 ///< how many have acknowledged the put in Write
  std::uint8_t lock = 0;                 ///< the spinlock, for whoever shares the entry between threads

  bool operator==(const Header&) const = default;
  Timestamp timestamp() const { return {version, writer}; }
  void set(Timestamp timestamp) {
    version = timestamp.version;
    writer = timestamp.node;
  }
};
static_assert(sizeof(Header) == 8);

struct Entry {
  Header header;
  sim::Value value;  ///< of the timestamp, unless the state is Invalid or Write: then the one before
};

/// What a store, or a copy, has of a key.
struct Stored {
  Timestamp timestamp;
  sim::Value value;

  bool operator==(const Stored&) const = default;
};

/// Nodes by number.
using NodeSet = std::bitset<256>;

/// A put under way. The key's header has the timestamp of the last one only.
struct Put {
  sim::OperationId operation;
  Timestamp timestamp;
  sim::Value value;
  NodeSet acknowledged;
  std::uint32_t acks = 0;   ///< that have come; without `ack_set` one node may have sent several
  bool superseded = false;  ///< the key has a greater timestamp by now
};

/// An operation that waits until its key is Valid.
struct Stalled {
  sim::OperationId operation;
  bool is_put = false;
  sim::Value value;  ///< of a put
};

/// What is under way about one key, in the order in which it began.
struct Work {
  std::vector<Put> puts;
  std::vector<Stalled> stalled;

  bool empty() const { return puts.empty() && stalled.empty(); }
  /// The put that the header is about; null unless the key is in Write.
  Put* current() { return puts.empty() || puts.back().superseded ? nullptr : &puts.back(); }
  /// The put with this timestamp, or null.
  Put* find(Timestamp timestamp) {
    for (Put& put : puts) {
      if (put.timestamp == timestamp) return &put;
    }
    return nullptr;
  }
};

}  // namespace racksim::cckvs
