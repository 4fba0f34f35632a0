// Locks of the memory service: several at once, who holds which, and those that a crash takes back. See
// memory_service.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <string>

#include "models/service/memory_service.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

void MemoryService::require_locks(std::uint64_t locks, std::uint64_t blocks, std::uint64_t beside) const {
  const std::uint64_t most = shape_.locks_per_session, room = shape_.lines_pinned_per_node;
  if (most != 0 && locks > most) {
    throw sim::OptionError("", fmt::format("a workload whose sessions hold {} locks at once", locks),
                           fmt::format("at most {} with these options of the protocol", most));
  }
  const std::uint64_t pinned = std::min(locks * shape_.threads_per_node, blocks);
  if (room != 0 && pinned + beside > room) {
    const std::string others = beside == 0 ? "" : fmt::format(", and accesses {} beside", beside);
    throw sim::OptionError(
        "",
        fmt::format("a workload that holds locks of {} blocks at a node: {} threads, {} locks at once{}", pinned,
                    shape_.threads_per_node, locks, others),
        fmt::format("at most {}, for which the node's cache has room", room));
  }
}

sim::Task<void> MemoryService::lock(Session session, GlobalAddress address, LockMode mode, std::uint64_t bytes) {
  co_await lock_all(session, address, mode, bytes, false);
}

sim::Task<bool> MemoryService::try_lock(Session session, GlobalAddress address, LockMode mode, std::uint64_t bytes) {
  return lock_all(session, address, mode, bytes, true);
}

sim::Task<bool> MemoryService::lock_all(Session session, GlobalAddress address, LockMode mode, std::uint64_t bytes,
                                        bool tries) {
  const std::uint64_t first = block_of(address), last = block_of({address.value + bytes - 1});
  std::exception_ptr failure;
  std::uint64_t block = first;
  bool granted = true;
  try {
    while (granted && block <= last) {
      if (tries) {
        granted = co_await try_lock_block(session, sim::Key{block}, mode);
      } else {
        co_await lock_block(session, sim::Key{block}, mode);
      }
      if (granted) ++block;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (granted && !failure) co_return true;
  while (block > first) co_await unlock_block(session, sim::Key{--block});
  if (failure) std::rethrow_exception(failure);
  co_return false;
}

sim::Task<void> MemoryService::unlock(Session session, GlobalAddress address, std::uint64_t bytes) {
  const std::uint64_t last = block_of({address.value + bytes - 1});
  for (std::uint64_t block = block_of(address); block <= last; ++block) {
    co_await unlock_block(session, sim::Key{block});
  }
}

sim::Task<void> MemoryService::lock_block(Session session, sim::Key block, LockMode mode) {
  check_call(session, request_for(mode, false), block);
  const PendingOperation begun = begin(session, request_for(mode, false), block);
  Guard guard(*this, session, begun);
  try {
    co_await port(session).lock(begun.key, mode, begun.operation);
  } catch (const Unavailable&) {  // it has not been granted
    guard.over();
    end_lock(session, begun, false);
    throw;
  }
  guard.over();
  hold(session, begun.key);
  end_lock(session, begun, true);
}

sim::Task<bool> MemoryService::try_lock_block(Session session, sim::Key block, LockMode mode) {
  check_call(session, request_for(mode, true), block);
  const PendingOperation begun = begin(session, request_for(mode, true), block);
  Guard guard(*this, session, begun);
  bool granted = false;
  try {
    granted = co_await port(session).try_lock(begun.key, mode, begun.operation);
  } catch (const Unavailable&) {
    guard.over();
    end_lock(session, begun, false);
    throw;
  }
  guard.over();
  if (granted) hold(session, begun.key);
  end_lock(session, begun, granted);
  co_return granted;
}

sim::Task<void> MemoryService::unlock_block(Session session, sim::Key block) {
  check_call(session, sim::OperationKind::unlock, block);
  if (take_out(taken_back_, session, block)) co_return co_await port(session).unlock(block, kWarmOperation);
  const PendingOperation begun = begin(session, sim::OperationKind::unlock, block);
  Guard guard(*this, session, begun);
  co_await port(session).unlock(begun.key, begun.operation);
  guard.over();
  take_out(held_locks_, session, begun.key);
  end(session, begun, 0);
}

bool MemoryService::holder_died(Session, GlobalAddress) const {
  return false;
}

void MemoryService::unlock_for_dead(Session holder, sim::Key block) {
  const PendingOperation begun = begin(holder, sim::OperationKind::unlock, block);
  if (take_out(held_locks_, holder, block)) taken_back_.push_back({block, index_of(holder)});
  end_for_dead(holder, begun);
}

void MemoryService::hold(Session session, sim::Key block) {
  take_out(taken_back_, session, block);  // by an earlier life of the session
  held_locks_.push_back({block, index_of(session)});
}

bool MemoryService::take_out(std::vector<HeldLock>& locks, Session session, sim::Key block) const {
  const auto held = std::find_if(locks.begin(), locks.end(), [&](const HeldLock& lock) {
    return lock.block == block && lock.session == index_of(session);
  });
  if (held == locks.end()) return false;  // as of a request that was given up, and granted all the same
  *held = locks.back();
  locks.pop_back();
  return true;
}

std::vector<std::size_t> MemoryService::waited_for(const PendingOperation& begun) const {
  std::vector<std::size_t> holders;
  if (begun.kind != sim::OperationKind::lock && begun.kind != sim::OperationKind::lock_shared) return holders;
  for (const HeldLock& lock : held_locks_) {
    if (lock.block == begun.key) holders.push_back(lock.session);
  }
  return holders;
}

}  // namespace racksim::models
