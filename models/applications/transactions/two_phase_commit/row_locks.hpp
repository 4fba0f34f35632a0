// The locks of a node's rows, in its own memory: shared or exclusive, and tried only. Nobody waits for one, so there is
// no deadlock (two-phase locking, no-wait).
//
// A row is locked by its primary key, whether there is such a row or not: who has found none keeps others from inserting
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/applications/transactions/transaction.hpp"
#include "models/service/memory_port.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::app::two_phase_commit {

class RowLocks {
 public:
  /// An attempt at a transaction; 0 is none.
  using Owner = std::uint64_t;

  /// Whether it was granted, or held in this mode already. Who is the only one that shares a lock may have it
  /// exclusively.
  bool try_lock(Row row, models::LockMode mode, Owner owner);
  /// Gives back all that it holds: how many.
  std::size_t release(Owner owner);

  /// Whether it holds the lock in this mode or a stronger one.
  bool holds(Row row, models::LockMode mode, Owner owner) const;
  /// Rows that are locked.
  std::size_t size() const { return locks_.size(); }

 private:
  struct Lock {
    bool exclusive = false;
    std::vector<Owner> owners = {};
  };
  static std::uint64_t id_of(Row row);

  sim::FlatMap<Lock> locks_;                       // by row
  sim::FlatMap<std::vector<std::uint64_t>> held_;  // rows by owner
};

}  // namespace racksim::app::two_phase_commit
