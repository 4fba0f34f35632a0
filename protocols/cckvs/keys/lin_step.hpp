// Per-key linearizability as a table: the life of a key in the cache of one node (ccKVS §5.2, with the rules of
// rules.hpp). `racksim table cckvs` prints it.
//
// The new value enters the entry when the put commits, not before. Events say how a message's timestamp compares with
// the key's.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/cckvs/keys/entry.hpp"

namespace racksim::cckvs {

class Cache;

enum class LinEvent : std::uint8_t {
  get,
  put,
  newer_invalidation,
  same_invalidation,
  older_invalidation,  ///< its put has lost against the one that this node knows of
  current_ack,         ///< of the key's timestamp, which is a put of this node
  superseded_ack,      ///< of a put of this node that has lost
  other_ack,           ///< of no put that is under way
  same_update,
  other_update,
  timeout,  ///< the key has not been Valid for long (`retransmit`)
  count
};

/// One event of one key at one node: the guards and actions of the table.
struct LinStep {
  Cache& cache;
  sim::Key key;
  Entry& entry;
  sim::OperationId operation = 0;  ///< of get and put
  sim::Value value = 0;            ///< of put and updates
  Timestamp timestamp = {};        ///< of messages
  NodeId from = 0;                 ///< of messages
  bool on_top = false;             ///< a put that has waited together with the one that the key is in Write for

  sim::KeyAndOperations key_and_operations() const;

  // Guards.
  bool reads_old_in_write() const;
  bool reads_new_in_write() const;
  bool reads_invalid() const;
  bool starts_at_once() const;
  bool equal_invalidates() const;
  bool losers_return_at_once() const;
  bool acknowledges_losers() const;
  bool completes() const;
  bool counts_any() const;
  bool completes_any() const;
  bool completes_loser() const;
  bool retransmits() const;
  bool takes_any_update() const;
  bool resends() const;
  bool asks() const;

  // Actions.
  void answer();
  void answer_new();
  void stall();
  void begin();
  void take_timestamp();
  void acknowledge();
  void supersede();
  void return_superseded();
  void count_ack();
  void count_loser();
  void return_loser();
  void commit();
  void take_value();
  void resend_invalidations();
  void resend_update();
  void ask_for_update();

  static const models::TableDescription& table();
  static void execute(LinEvent event, LinStep& step, const sim::CoverageProbe& coverage);

 private:
  struct Life;
  bool is_last(const Put& put) const;
  void count(Put& put) const;
};

}  // namespace racksim::cckvs
