// A transaction as a schema sees it: rows that it reads, writes, inserts, erases and scans, by primary key. What keeps
// transactions apart, and where rows lie, is the engine's behind it (engine.hpp).
//
// Any call may end the attempt: it throws Aborted, and the transaction is over. Whoever runs it (the base of schemas) then
// has it taken back, and tries it again with the same draws.
//
// This is a non-virtual face over an engine's hooks. It keeps the attempt's own copies of rows, gives each write its
// version, and records what was read and written for the oracle `serializability`: from the bytes of the rows, so that an
// engine which does not keep its promise cannot hide it (row.hpp, transaction_log.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/applications/client.hpp"
#include "models/applications/transactions/node_logs.hpp"
#include "models/applications/transactions/row.hpp"
#include "models/applications/transactions/transaction_log.hpp"
#include "sim/kernel/task.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::app {

/// What a transaction reads a row for. One that it will write or erase it reads for an update.
enum class Intent : std::uint8_t { read, update };

/// Why an attempt has ended before its commit.
enum class AbortReason : std::uint8_t {
  lock,        ///< a lock was refused
  order,       ///< a younger transaction was there before (timestamp ordering)
  validation,  ///< what it had read has changed (optimistic)
  vote,        ///< a participant said no (two-phase commit)
  unavailable  ///< memory, or its place in a cache, could not be had
};

/// Out of any call of a transaction: the attempt is over.
struct Aborted {
  AbortReason why;
};

/// A row's slot as an attempt has it: the engine's header, whose first byte's lowest bit says that the row is there, the
/// version (kVersionBytes) and the row.
struct RowCopy {
  Row row;
  Intent intent = Intent::read;  ///< the strongest so far
  bool fetched = false;          ///< `slot` holds what memory held
  bool recorded = false;         ///< the transaction knows what it holds
  bool written = false;
  std::vector<std::byte> slot = {};

  bool there() const { return (slot[0] & std::byte{1}) != std::byte{}; }
};

/// What transactions count, all attempts included.
struct TransactionCounters {
  sim::Counter &rows, &locks, &waits;
};

/// What transactions of a run share.
struct TransactionContext {
  const std::vector<RowTable>& tables;
  std::uint64_t header_bytes;  ///< of a slot, in front of the version: 8 at least
  sim::Duration bracket_cost;  ///< of the thread's core, to begin and end a transaction
  sim::Duration row_cost;      ///< to find a row and work with it
  TransactionLog& log;
  TransactionCounters counters;
  NodeLogs* logs = nullptr;  ///< of nodes; null if commits are not logged
};

/// Attempts at transactions of one thread, one after the other. Calls come one after the other too.
class Transaction {
 public:
  Transaction(const TransactionContext& context, Client& client) : context_(context), client_(client) {}
  virtual ~Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // For schemas.
  /// Copies a row, as large as its table's; returns false if there is none.
  sim::Task<bool> read(Row row, std::span<std::byte> into, Intent intent);
  /// Writes the whole of a row that it has read for an update, or has inserted.
  sim::Task<void> write(Row row, std::span<const std::byte> bytes);
  /// Returns false, and does nothing, if there is such a row.
  sim::Task<bool> insert(Row row, std::span<const std::byte> bytes);
  /// Erases a row that it has read for an update.
  sim::Task<void> erase(Row row);
  /// Reads the rows of a table with keys from `from` up to, and without, `to`, in ascending order, until `visit` returns
  /// false. None of those that it has passed, or found missing, changes before it commits.
  using Visit = std::function<bool(std::uint64_t key, std::span<const std::byte> row)>;
  sim::Task<void> scan(std::uint32_t table, std::uint64_t from, std::uint64_t to, Intent intent, const Visit& visit);

  // For the base of schemas.
  /// Another attempt; `again`: at the same transaction.
  sim::Task<void> begin(bool again);
  sim::Task<void> commit();
  /// Takes everything back, after Aborted or models::Unavailable, or since the transaction wants it (`rolled_back`).
  sim::Task<void> abort(bool rolled_back);

 protected:
  // The hooks of engines. Any but `undo` may throw Aborted and models::Unavailable.
  /// Draws a timestamp, and the like. `again`: the same transaction.
  virtual sim::Task<void> start(bool again) = 0;
  /// Brings what memory holds into `copy.slot`, for `copy.intent`. If it was there (`copy.fetched`) the intent has become
  /// stronger.
  virtual sim::Task<void> fetch(RowCopy& copy) = 0;
  /// The same of several rows that follow each other in a scan. By default one by one.
  virtual sim::Task<void> fetch_all(std::span<RowCopy* const> copies);
  /// How many keys from this one on are best fetched together in a scan.
  virtual std::uint64_t fetched_together(Row row) const {
    static_cast<void>(row);
    return 1;
  }
  /// The transaction has written its copy. By default nothing: it goes to memory at the commit.
  virtual sim::Task<void> changed(RowCopy& copy);
  /// Has what it has written (`writes`) in memory, for all to see.
  virtual sim::Task<void> finish() = 0;
  /// Takes everything back.
  virtual sim::Task<void> undo() = 0;
  /// For `finish`, where nothing can end the attempt any more and nobody has seen anything of it: makes it durable in the
  /// node's log, if commits are logged. One that has written nothing needs no entry.
  sim::Task<void> log_commit();

  const TransactionContext& context() const { return context_; }
  Client& client() const { return client_; }
  /// All rows of this attempt, in the order of their first access.
  std::span<RowCopy* const> copies() const { return copies_; }
  /// Those that it has written, in the order of the first write.
  std::span<RowCopy* const> writes() const { return writes_; }
  std::uint64_t slot_bytes(std::uint32_t table) const {
    return slot_size(context_.tables[table].row_bytes, context_.header_bytes);
  }

 private:
  RowCopy& copy_of(Row row);
  /// Has it fetched if it is not, or not for this.
  sim::Task<void> have(RowCopy& copy, Intent intent);
  void record_read(RowCopy& copy);
  sim::Task<void> put(RowCopy& copy, std::span<const std::byte> bytes, bool there);
  std::span<std::byte> row_of(RowCopy& copy) const;
  std::span<std::byte> version_of(RowCopy& copy) const;
  bool is_read_only(Row row) const { return context_.tables[row.table].keys_per_part == 0; }
  void expect_key(Row row) const;

  TransactionContext context_;
  Client& client_;
  std::deque<RowCopy> pool_;  // of copies, used again by each attempt
  std::vector<RowCopy*> copies_, writes_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // by row: in copies_
  TransactionLog::Attempt attempt_ = 0;
};

}  // namespace racksim::app
