// What an application thread asks. See application_thread.hpp.
#include "protocols/selcc/application_thread.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "models/host/core_wait.hpp"

namespace racksim::selcc {

using Base = line_cache::ApplicationThread<ComputeNode>;

ApplicationThread::ApplicationThread(ComputeNode& node, unsigned thread) : Base(node, thread) {
  const Options& options = node.options();
  if (options.writes_return_early()) buffer_ = std::make_unique<WriteBuffer>(node, thread, options, node.clock());
}

sim::Task<void> ApplicationThread::local_access(models::MemoryAccess access) {
  co_await models::occupy(node_.connections().core_of(thread_),
                          node_.options().local_access + models::copy_time(access.bytes));
}

// As a core whose load overlaps a buffered store: what the buffer has in whole is read there; what it has in part is
// read when that is performed, so that all is of one instant.
sim::Task<void> ApplicationThread::read(models::MemoryAccess access, std::span<sim::Value> values,
                                        sim::OperationId operation) {
  if (buffer_) {
    const std::uint32_t own = buffer_->copy_newest(access, values);
    if (own == access.objects) co_return co_await local_access(access);
    if (own > 0) co_await buffer_->drain();
  }
  co_await node_.read(thread_, access, values, operation);
}

sim::Task<void> ApplicationThread::write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) {
  if (buffer_) {
    if (!node_.latch_of(thread_, node_.shared().lines.line_of(access.first))) {
      co_await local_access(access);
      co_return co_await buffer_->put(access, value, operation);
    }
    co_await buffer_->drain();  // under the latch it is performed now, but not before earlier ones
  }
  co_await node_.write(thread_, access, value, operation);
}

sim::Task<sim::Value> ApplicationThread::compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                                          sim::OperationId operation) {
  co_await fence(operation);
  const models::WorkRequest swap{
      .opcode = models::Opcode::compare_swap, .compare = expected, .swap_or_add = desired, .operation = operation};
  co_return sim::Value{co_await node_.atomic_on_word(thread_, object, swap)};
}

sim::Task<sim::Value> ApplicationThread::fetch_and_add(sim::Key object, std::uint64_t operand,
                                                       sim::OperationId operation) {
  co_await fence(operation);
  const models::WorkRequest add{.opcode = models::Opcode::fetch_add, .swap_or_add = operand, .operation = operation};
  co_return sim::Value{co_await node_.atomic_on_word(thread_, object, add)};
}

sim::Task<void> ApplicationThread::fence(sim::OperationId) {
  if (buffer_) co_await buffer_->drain();
}

sim::Task<void> ApplicationThread::lock(sim::Key line, models::LockMode mode, sim::OperationId operation) {
  co_await fence(operation);
  co_await Base::lock(line, mode, operation);
}

sim::Task<bool> ApplicationThread::try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) {
  co_await fence(operation);
  const bool granted = co_await Base::try_lock(line, mode, operation);
  co_return granted;
}

sim::Task<void> ApplicationThread::unlock(sim::Key line, sim::OperationId operation) {
  co_await fence(operation);
  co_await Base::unlock(line, operation);
}

sim::Task<void> ApplicationThread::free(models::MemoryAllocator& allocator, models::GlobalAddress address,
                                        sim::OperationId operation) {
  const std::uint64_t lines = allocator.bytes_at(address) / node_.options().line_bytes;
  co_await fence(operation);
  if (!co_await node_.nobody_holds(thread_, node_.shared().memory.block_of(address), lines, operation)) {
    throw std::invalid_argument(
        fmt::format("memory at {:#x} is to be freed, of which a line is cached or latched", address.value));
  }
  allocator.free(address);
}

}  // namespace racksim::selcc
