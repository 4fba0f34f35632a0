// What keeps transactions of a run apart: it gives each thread its Transaction, whose hooks it implements. An engine
// registers itself under a name, which `concurrency` chooses (transaction_options.hpp).
//
// Rows lie in the memory service, where RowPlaces says: stored_transaction.hpp has what engines share that reach them from
// every node.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/applications/client.hpp"
#include "models/applications/transactions/node_logs.hpp"
#include "models/applications/transactions/row_places.hpp"
#include "models/applications/transactions/transaction.hpp"
#include "models/applications/transactions/transaction_options.hpp"
#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "sim/options/registry.hpp"

namespace racksim::app {

/// What an engine is made from. All of it lives as long as the engine.
struct EngineContext {
  models::Rack& rack;
  models::MemoryService& memory;
  const TransactionOptions& options;
  const RowPlaces& places;
  TransactionContext transactions;  ///< what each of its transactions is made with
  ClientContext clients;            ///< what a client of its own threads is made with
  unsigned threads;                 ///< of applications on each node; its own come behind them
  std::uint64_t parts;              ///< of the schema
  NodeLogs* logs;                   ///< of nodes; null if nothing is logged
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// For one thread, which runs its transactions on it one after the other.
  virtual std::unique_ptr<Transaction> transaction(Client& client) = 0;
  /// Whether this object or line is its own, beside the rows'.
  virtual bool uses(sim::Key key) const {
    static_cast<void>(key);
    return false;
  }
  /// Rows that are still locked, by locks of its own, when every transaction has ended.
  virtual std::uint64_t left_locked() const { return 0; }
  /// See models::CrashObserver.
  virtual void node_crashed(models::NodeId node) { static_cast<void>(node); }
};

struct EngineEntry {
  static constexpr std::string_view kWhat = "transaction engine";
  std::string name, doc;
  std::uint64_t header_bytes =
      8;  ///< of a slot, in front of the version; the first byte's lowest bit: the row is there
  /// What it asks of a memory service that offers so much.
  std::function<models::OperationSet(const TransactionOptions&, models::OperationSet offered)> operations = {};
  /// Whether it holds the locks of all rows of a transaction at once, or one row's.
  bool holds_all_rows = true;
  /// Of its own, on each node that computes, behind the application's.
  std::function<unsigned(const TransactionOptions&)> own_threads = [](const TransactionOptions&) { return 0U; };
  bool always_logs = false;  ///< whether the options ask for it or not
  std::function<std::unique_ptr<Engine>(const EngineContext&)> make = {};
};

/// All engines, in the order of their names.
inline const std::vector<EngineEntry>& engines() {
  return sim::Registry<EngineEntry>::entries();
}

}  // namespace racksim::app
