// What a cache has to tell: messages to the caches of other nodes, and results to its own node's sessions.
//
// A cache knows no network, no threads and no clock. Whoever has them implements this: the node of a rack, and the
// exhaustive exploration. Nobody may raise an event of the cache from in here.
#pragma once

#include "protocols/cckvs/keys/entry.hpp"
#include "sim/record/ids.hpp"

namespace racksim::cckvs {

class Outbox {
 public:
  virtual ~Outbox() = default;

  /// To all other nodes, on behalf of a put.
  virtual void invalidate_all(sim::Key key, Timestamp timestamp, sim::OperationId put) = 0;
  virtual void update_all(sim::Key key, Timestamp timestamp, sim::Value value, sim::OperationId put) = 0;
  /// To one, again.
  virtual void invalidate_one(NodeId to, sim::Key key, Timestamp timestamp, sim::OperationId put) = 0;
  virtual void update_one(NodeId to, sim::Key key, Timestamp timestamp, sim::Value value) = 0;
  virtual void acknowledge(NodeId to, sim::Key key, Timestamp timestamp) = 0;

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
