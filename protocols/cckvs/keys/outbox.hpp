// What a cache has to tell: messages to the caches of other nodes, and results to its own node's sessions.
//
// A cache knows no network, no threads and no clock. Whoever has them implements this: the node of a rack, and the
// exhaustive exploration. Nobody may raise an event of the cache from in here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/cckvs/keys/entry.hpp"
#include "sim/record/ids.hpp"

namespace racksim::cckvs {

/// A message of one cache to another, about a key.
struct CacheMessage {
  enum class Type : std::uint8_t { invalidation, acknowledgement, update };

  sim::Key key = 0;
  sim::Value value = 0;  ///< of an update
  Timestamp timestamp;
  Type type = Type::update;
  bool to_one = false;  ///< of those that go to all by multicast: this one does not
};

/// As charts have it.
constexpr const char* name_of(CacheMessage::Type type) {
  switch (type) {
    case CacheMessage::Type::invalidation:
      return "INV";
    case CacheMessage::Type::acknowledgement:
      return "ACK";
    case CacheMessage::Type::update:
      return "UPD";
  }
  return "";
}

class Outbox {
 public:
  virtual ~Outbox() = default;

  /// To all other nodes, on behalf of a put.
  virtual void send_all(const CacheMessage& message, sim::OperationId put) = 0;
  /// To one; `put` is 0 unless it is on behalf of one.
  virtual void send(NodeId to, const CacheMessage& message, sim::OperationId put) = 0;

  /// A get has its answer.
  virtual void answered(sim::OperationId get, sim::Key key, sim::Value value) = 0;
  /// Lin: all copies but this are invalid, and this has the value now; before the update is sent and the put returns.
  /// SC: it is in place here.
  virtual void committed(sim::OperationId put, sim::Key key, Timestamp timestamp, sim::Value value) = 0;
  /// A put returns: it has been committed, or it comes just before one that has (`superseded`).
  virtual void returned(sim::OperationId put, sim::Key key, bool superseded) = 0;
  /// An operation waits until the key is Valid.
  virtual void stalled(sim::OperationId operation, sim::Key key) = 0;
  /// The copy can be read from now on, or cannot (Lin alone).
  virtual void readable(sim::Key key, bool can_be_read) = 0;
};

}  // namespace racksim::cckvs
