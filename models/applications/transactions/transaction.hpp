// A transaction as a schema sees it: rows that it reads, writes, inserts, erases and scans, by primary key. What keeps
// transactions apart, and where rows lie, is the engine's behind it.
//
// Any call may end the attempt: it throws Aborted, and the transaction is over. Whoever runs it (the base of schemas) then
// has it taken back, and tries it again with the same draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sim/kernel/task.hpp"

namespace racksim::app {

/// A row that is there or not: the number of its table in the schema, and its primary key, which is one number.
struct Row {
  std::uint32_t table = 0;
  std::uint64_t key = 0;
  auto operator<=>(const Row&) const = default;
};

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

/// One attempt at a transaction, of one thread. Calls come one after the other.
class Transaction {
 public:
  virtual ~Transaction() = default;

  /// Copies a row, as large as its table's; returns false if there is none.
  virtual sim::Task<bool> read(Row row, std::span<std::byte> into, Intent intent) = 0;
  /// Writes the whole of a row that it has read for an update, or has inserted.
  virtual sim::Task<void> write(Row row, std::span<const std::byte> bytes) = 0;
  /// Returns false, and does nothing, if there is such a row.
  virtual sim::Task<bool> insert(Row row, std::span<const std::byte> bytes) = 0;
  /// Erases a row that it has read for an update.
  virtual sim::Task<void> erase(Row row) = 0;
  /// Reads the rows of a table with keys from `from` up to, and without, `to`, in ascending order, until `visit` returns
  /// false. None of those that it has passed, or found missing, changes before it commits.
  using Visit = std::function<bool(std::uint64_t key, std::span<const std::byte> row)>;
  virtual sim::Task<void> scan(std::uint32_t table, std::uint64_t from, std::uint64_t to, Intent intent,
                               const Visit& visit) = 0;
};

}  // namespace racksim::app
