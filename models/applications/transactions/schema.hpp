// A schema, as its author writes it: tables, what they hold at first, one transaction of a thread, and what must be true
// of all rows when everything is over (ledger.cpp). It knows no concurrency control, no index and no layout.
//
//   const app::SchemaRegistration<Ledger> registration("ledger", "rows that move, under a conserved sum");
//
// makes it a workload of that name (schema_application.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/applications/application.hpp"
#include "models/applications/bytes.hpp"
#include "models/applications/judge.hpp"
#include "models/applications/transactions/row.hpp"
#include "models/applications/transactions/transaction.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/task.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::app {

/// Who runs a transaction.
struct Terminal {
  unsigned node = 0, thread = 0;  ///< among `nodes` that compute, each with `threads`
  unsigned nodes = 1, threads = 1;
  std::uint64_t number() const { return std::uint64_t{node} * threads + thread; }
};

/// All rows at rest, as memory holds them.
class Rows {
 public:
  virtual ~Rows() = default;
  /// As Transaction::read.
  virtual bool read(Row row, std::span<std::byte> into) const = 0;
  /// All rows of a table that are there, in the order of their keys.
  virtual void each(std::uint32_t table,
                    const std::function<void(std::uint64_t key, std::span<const std::byte> row)>& visit) const = 0;
  /// Those of all tables that some transaction has written, there or not (`bytes` are empty then), in no order: of large
  /// tables a few. All others hold what Schema::first says.
  virtual void each_changed(
      const std::function<void(Row row, bool there, std::span<const std::byte> bytes)>& visit) const = 0;
};

/// One for a run. Whatever it throws, other than Aborted out of a transaction's calls, is a defect and ends the run.
class Schema {
 public:
  virtual ~Schema() = default;
  /// Its own options, beside those of the base.
  virtual void declare(sim::Parameters& parameters) { static_cast<void>(parameters); }
  /// Throws sim::OptionError if its options are wrong on any rack.
  virtual void check() const {}
  /// The same if they do not fit so many terminals.
  virtual void check_terminals(unsigned nodes, unsigned threads) const {
    static_cast<void>(nodes);
    static_cast<void>(threads);
  }
  /// In an order that numbers them from 0.
  virtual std::vector<RowTable> tables() const = 0;
  /// How many parts there are; parts follow each other on the nodes, as many on each, where an engine keeps them apart.
  virtual std::uint64_t parts() const = 0;
  /// Rows that one transaction reads or writes at most, but for those of tables that nobody writes.
  virtual std::uint64_t most_rows() const = 0;
  /// What a row holds before the run, as a function of its key; false if it is not there. `bytes` are 0 before.
  virtual bool first(Row row, Bytes bytes) const = 0;
  /// One attempt at one transaction, up to its commit, which the base carries out if it returns End::committed. It draws
  /// from `random` alone, which draws the same for the next attempt.
  virtual sim::Task<End> run(Transaction& transaction, Terminal terminal, sim::RandomStream& random) = 0;
  /// The transaction that it has run has committed, or has ended in another way.
  virtual void ended(Terminal terminal, End end) {
    static_cast<void>(terminal);
    static_cast<void>(end);
  }
  /// Judges all rows when every transaction has ended.
  virtual void judge(const Rows& rows, Judge& judge) const {
    static_cast<void>(rows);
    static_cast<void>(judge);
  }
};

/// The workload of this name (schema_application.cpp).
models::WorkloadEntry workload_of_schema(std::string name, std::string doc, std::shared_ptr<Schema> (*make)());

template <class Made>
class SchemaRegistration {
 public:
  SchemaRegistration(std::string name, std::string doc)
      : entry_(workload_of_schema(std::move(name), std::move(doc),
                                  []() -> std::shared_ptr<Schema> { return std::make_shared<Made>(); })) {}

 private:
  sim::Registration<models::WorkloadEntry> entry_;
};

}  // namespace racksim::app
