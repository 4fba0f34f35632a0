// A schema, as its author writes it: tables, what they hold at first, one transaction of a thread, and what must be true
// of all rows when everything is over (smallbank.cpp, tpcc.cpp). It knows no concurrency control, no index and no layout.
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
#include "models/applications/transactions/transaction.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/task.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::app {

/// Rows that are alike. Keys of one part (a warehouse's, say) follow each other.
struct Table {
  std::string name;
  std::uint64_t keys = 0;           ///< the rows that there may be have keys below
  std::uint64_t row_bytes = 0;      ///< of each, 1 at least
  std::uint64_t keys_per_part = 0;  ///< a key's part is key / keys_per_part; 0: nobody writes it, each node has its own
};

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
  virtual std::vector<Table> tables() const = 0;
  /// How many parts there are; parts follow each other on the nodes, as many on each, where an engine keeps them apart.
  virtual std::uint64_t parts() const = 0;
  /// Rows that one transaction reads or writes at most.
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

}  // namespace racksim::app
