// What the memory service asks of a protocol, in the name of one application thread (memory_service.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "models/host/global_address.hpp"
#include "models/service/memory_allocator.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/time.hpp"
#include "sim/record/history.hpp"
#include "sim/record/ids.hpp"

namespace racksim::models {

/// Thrown by an access of what lies at a server that is down, once the protocol knows. Whether a write that was under
/// way has taken effect is open.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class LockMode : std::uint8_t { exclusive, shared };

/// What a request for a lock is called in histories.
constexpr sim::OperationKind request_for(LockMode mode, bool tries) {
  if (mode == LockMode::shared) return tries ? sim::OperationKind::try_lock_shared : sim::OperationKind::lock_shared;
  return tries ? sim::OperationKind::try_lock : sim::OperationKind::lock;
}

/// What one call reads or writes: objects of one block that follow each other.
struct MemoryAccess {
  sim::Key first;
  std::uint32_t objects = 1;
  std::uint32_t bytes = 8;  ///< from the first that is meant to the last
};

/// How much longer than a word an access of so many bytes takes the core that copies them: 10 GB/s (assumed; what a hit
/// costs contains a word).
constexpr sim::Duration copy_time(std::uint32_t bytes) {
  return sim::Duration::from_ps(bytes > 8 ? std::int64_t{100} * (bytes - 8) : 0);
}

/// What the memory service asks of a protocol in the name of one application thread, which the protocol's part that
/// serves the thread implements. Operations that the protocol does not offer are never asked of it.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Reads the objects at one instant, into `values`, which has room for so many.
  virtual sim::Task<void> read(MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) = 0;
  /// Writes them at one instant: `value` into the first, the next greater one into the next, and so on.
  virtual sim::Task<void> write(MemoryAccess access, sim::Value value, sim::OperationId operation) = 0;
  /// Writes `desired` if the object has the value `expected`; returns the one it had.
  virtual sim::Task<sim::Value> compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                                 sim::OperationId operation);
  virtual sim::Task<sim::Value> fetch_and_add(sim::Key object, std::uint64_t operand, sim::OperationId operation);
  /// By default at once: right where writes are performed before they return, else to be overridden.
  virtual sim::Task<void> fence(sim::OperationId operation);
  virtual sim::Task<void> lock(sim::Key block, LockMode mode, sim::OperationId operation);
  virtual sim::Task<bool> try_lock(sim::Key block, LockMode mode, sim::OperationId operation);
  virtual sim::Task<void> unlock(sim::Key block, sim::OperationId operation);
  /// By default at once, by the service's allocator, which is handed over.
  virtual sim::Task<GlobalAddress> allocate(MemoryAllocator& allocator, std::uint64_t bytes, const AllocationHint& hint,
                                            sim::OperationId operation);
  virtual sim::Task<void> free(MemoryAllocator& allocator, GlobalAddress address, sim::OperationId operation);
};

/// Throws std::logic_error: a hook that a protocol has promised to implement, or a workload has not asked for before it
/// used it.
[[noreturn]] void not_offered(sim::OperationKind kind);

}  // namespace racksim::models
