// The life of a key in the cache of one node (ccKVS §5.2, with the rules of rules.hpp), as two tables that the cache
// executes and `racksim table cckvs` prints: per-key linearizability (Lin) and per-key sequential consistency (SC,
// after Burckhardt).
//
// Lin's events say how a message's timestamp compares with the key's. The new value enters the entry when the put
// commits, not before. A put of SC takes effect at its own node at once; the others learn of it by an update. SC is
// sequentially consistent for sessions that keep to a node: one that changes nodes may miss its own put.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/cckvs/keys/cached_keys.hpp"

namespace racksim::cckvs {

enum class LinEvent : std::uint8_t {
  get,
  put,
  newer_inv,
  same_inv,
  older_inv,  ///< its put has lost against the one that this node knows of
  same_ack,   ///< of the key's timestamp, which is a put of this node
  lost_ack,   ///< of a put of this node that has lost
  other_ack,  ///< of no put that is under way
  same_upd,
  other_upd,
  timeout,  ///< the key has not been Valid for long (`retransmit`)
  count
};

enum class ScState : std::uint8_t { valid, count };
enum class ScEvent : std::uint8_t {
  get,
  put,
  newer_upd,
  older_upd,  ///< or the same
  count
};

/// One event of one key at one node.
struct KeyStep {
  CachedKeys& at;
  sim::Key key;
  Entry& entry;
  sim::OperationId operation = 0;  ///< of get and put
  sim::Value value = 0;            ///< of put and updates
  Timestamp timestamp = {};        ///< of messages
  NodeId from = 0;                 ///< of messages
  bool on_top = false;             ///< a put that has waited together with the one that the key is in Write for

  sim::KeyAndOperations key_and_operations() const {
    sim::KeyAndOperations about{key, {}};
    if (operation != 0) about.operations.push_back(operation);
    return about;
  }

  Work& work() const { return at.work.of(key); }
  /// Whether this node may begin another put of the key on top of what it has under way.
  bool has_room_on_top() const {
    const Work* work = at.work.find(key);
    return work == nullptr || work->puts.size() < at.most_puts;
  }
  /// The put that the key is in Write for.
  Put& current() const { return *work().current(); }
  /// The put whose timestamp the message has.
  Put& told_of() const { return *work().find(timestamp); }
  /// About the key, to tell others.
  CacheMessage message(CacheMessage::Type type, Timestamp of, sim::Value with = 0) const {
    return {.key = key, .value = with, .timestamp = of, .type = type};
  }
  Timestamp next_timestamp() const { return at.order.next(entry.header.timestamp(), at.self); }
};

using LinTable = models::TransitionTable<CacheState, LinEvent, KeyStep>;
const LinTable& lin_table();
using ScTable = models::TransitionTable<ScState, ScEvent, KeyStep>;
const ScTable& sc_table();

}  // namespace racksim::cckvs
