// Tries and releases. See row_locks.hpp.
#include "models/applications/transactions/two_phase_commit/row_locks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "sim/kernel/invariant.hpp"

namespace racksim::app::two_phase_commit {

std::uint64_t RowLocks::id_of(Row row) {
  constexpr unsigned kKeyBits = 56;
  if (row.key >> kKeyBits != 0 || row.table >> (64 - kKeyBits) != 0) {
    throw std::logic_error(fmt::format("a lock of key {} of table {}", row.key, row.table));
  }
  return std::uint64_t{row.table} << kKeyBits | row.key;
}

bool RowLocks::try_lock(Row row, models::LockMode mode, Owner owner) {
  const std::uint64_t id = id_of(row);
  const bool exclusive = mode == models::LockMode::exclusive;
  Lock& lock = locks_[id];
  const bool mine = std::find(lock.owners.begin(), lock.owners.end(), owner) != lock.owners.end();
  const std::size_t others = lock.owners.size() - (mine ? 1 : 0);
  if (others > 0 && (exclusive || lock.exclusive)) return false;
  lock.exclusive = lock.exclusive || exclusive;
  if (!mine) {
    lock.owners.push_back(owner);
    held_[owner].push_back(id);
  }
  return true;
}

std::size_t RowLocks::release(Owner owner) {
  const std::vector<std::uint64_t>* found = held_.find(owner);
  if (found == nullptr) return 0;
  for (const std::uint64_t id : *found) {
    Lock* lock = locks_.find(id);
    RACKSIM_INVARIANT(lock != nullptr, "a lock that somebody holds is in the table");
    std::erase(lock->owners, owner);
    if (lock->owners.empty()) locks_.erase(id);
  }
  const std::size_t count = found->size();
  held_.erase(owner);
  return count;
}

bool RowLocks::holds(Row row, models::LockMode mode, Owner owner) const {
  const Lock* lock = locks_.find(id_of(row));
  if (lock == nullptr || (mode == models::LockMode::exclusive && !lock->exclusive)) return false;
  return std::find(lock->owners.begin(), lock->owners.end(), owner) != lock->owners.end();
}

}  // namespace racksim::app::two_phase_commit
