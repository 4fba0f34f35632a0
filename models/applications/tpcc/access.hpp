// A transaction's accesses as TPC-C's make them, of which a share that would write may read instead (`read_ratio`, as in
// the papers' code).
//
// A row that is not where another says that it is, or is where none should be, was read by a transaction that will not
// commit, or has been spoilt: what hangs on it is left out, and commit or the consistency conditions tell.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/applications/tpcc/columns.hpp"
#include "models/applications/transactions/transaction.hpp"
#include "sim/kernel/task.hpp"
#include "sim/random/random.hpp"

namespace racksim::app::tpcc {

/// A row that was read to be written.
struct Grip {
  Row row;
  bool there;
  bool writes;  ///< no: its write became a read
};

class Access {
 public:
  Access(Transaction& transaction, double read_ratio, sim::RandomStream& random)
      : transaction_(transaction), read_ratio_(read_ratio), random_(random) {}

  template <class Table>
  sim::Task<bool> read(Row row, Record<Table>& into) {
    return transaction_.read(row, into.bytes(), Intent::read);
  }
  sim::Task<bool> read(Row row, std::span<std::byte> into) { return transaction_.read(row, into, Intent::read); }
  template <class Table>
  sim::Task<Grip> take(Row row, Record<Table>& into) {
    return take(row, into.bytes());
  }
  template <class Table>
  sim::Task<void> write(Grip grip, const Record<Table>& record) {
    return write(grip, record.bytes());
  }
  sim::Task<void> erase(Grip grip) {
    if (grip.there && grip.writes) co_await transaction_.erase(grip.row);
  }
  template <class Table>
  sim::Task<void> insert(Row row, const Record<Table>& record) {
    return insert(row, record.bytes());
  }
  sim::Task<void> scan(std::uint32_t table, std::uint64_t from, std::uint64_t to, const Transaction::Visit& visit) {
    return transaction_.scan(table, from, to, Intent::read, visit);
  }

 private:
  /// Draws only where it matters.
  bool becomes_read() { return read_ratio_ > 0 && random_.chance(read_ratio_); }

  sim::Task<Grip> take(Row row, std::span<std::byte> into) {
    const bool writes = !becomes_read();
    const bool there = co_await transaction_.read(row, into, writes ? Intent::update : Intent::read);
    co_return Grip{row, there, writes};
  }
  sim::Task<void> write(Grip grip, std::span<const std::byte> bytes) {
    if (grip.there && grip.writes) co_await transaction_.write(grip.row, bytes);
  }
  sim::Task<void> insert(Row row, std::span<const std::byte> bytes) {
    if (!becomes_read()) {
      co_await transaction_.insert(row, bytes);
      co_return;
    }
    scratch_.resize(bytes.size());
    co_await transaction_.read(row, scratch_, Intent::read);
  }

  Transaction& transaction_;
  double read_ratio_;
  sim::RandomStream& random_;
  std::vector<std::byte> scratch_;
};

}  // namespace racksim::app::tpcc
