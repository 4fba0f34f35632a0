// Per-key sequential consistency as a table: the life of a key in the cache of one node (ccKVS §5.2, after Burckhardt).
//
// A put takes effect at its own node at once; the others learn of it by an update. It is sequentially consistent for
// sessions that keep to a node: one that changes nodes may miss its own put.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/cckvs/keys/entry.hpp"

namespace racksim::cckvs {

class Cache;

enum class ScState : std::uint8_t { valid, count };

enum class ScEvent : std::uint8_t {
  get,
  put,
  newer_update,
  older_update,  ///< or the same
  count
};

/// One event of one key at one node: the guards and actions of the table.
struct ScStep {
  Cache& cache;
  sim::Key key;
  Entry& entry;
  sim::OperationId operation = 0;  ///< of get and put
  sim::Value value = 0;            ///< of put and updates
  Timestamp timestamp = {};        ///< of updates

  sim::KeyAndOperations key_and_operations() const;

  bool takes_any_update() const;

  void answer();
  void write();
  void take();

  static const models::TableDescription& table();
  static void execute(ScEvent event, ScStep& step, const sim::CoverageProbe& coverage);

 private:
  struct Life;
};

}  // namespace racksim::cckvs
