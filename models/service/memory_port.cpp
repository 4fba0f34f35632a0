// What a protocol does that does not say otherwise. See memory_port.hpp.
#include "models/service/memory_port.hpp"

#include <fmt/core.h>

namespace racksim::models {

void not_offered(sim::OperationKind kind) {
  throw std::logic_error(fmt::format("{} was asked of a memory service that does not implement it", to_string(kind)));
}

sim::Task<sim::Value> MemoryPort::compare_and_swap(sim::Key, sim::Value, sim::Value, sim::OperationId) {
  not_offered(sim::OperationKind::compare_and_swap);
}

sim::Task<sim::Value> MemoryPort::fetch_and_add(sim::Key, std::uint64_t, sim::OperationId) {
  not_offered(sim::OperationKind::fetch_and_add);
}

sim::Task<void> MemoryPort::fence(sim::OperationId) {
  co_return;
}

sim::Task<void> MemoryPort::lock(sim::Key, LockMode mode, sim::OperationId) {
  not_offered(request_for(mode, false));
}

sim::Task<bool> MemoryPort::try_lock(sim::Key, LockMode mode, sim::OperationId) {
  not_offered(request_for(mode, true));
}

sim::Task<void> MemoryPort::unlock(sim::Key, sim::OperationId) {
  not_offered(sim::OperationKind::unlock);
}

sim::Task<GlobalAddress> MemoryPort::allocate(MemoryAllocator& allocator, std::uint64_t bytes,
                                              const AllocationHint& hint, sim::OperationId) {
  co_return allocator.allocate(bytes, hint);
}

sim::Task<void> MemoryPort::free(MemoryAllocator& allocator, GlobalAddress address, sim::OperationId) {
  allocator.free(address);
  co_return;
}

}  // namespace racksim::models
