// What an application thread asks. See application_thread.hpp.
#include "protocols/selcc/application_thread.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "models/host/core_wait.hpp"

namespace racksim::selcc {

ApplicationThread::ApplicationThread(Shared& shared, ComputeNode& node, unsigned thread)
    : shared_(shared), node_(node), thread_(thread) {
  if (!shared.options.writes_return_early()) return;
  buffer_ = std::make_unique<WriteBuffer>(node, thread, shared.options, shared.rack.server(node.id()).clock());
}

sim::Task<void> ApplicationThread::local_access() {
  co_await models::occupy(shared_.rack.server(node_.id()).core(thread_), shared_.options.local_access);
}

sim::Task<sim::Value> ApplicationThread::read(sim::Key object, sim::OperationId operation) {
  if (buffer_) {
    if (const WriteBuffer::Write* own = buffer_->newest(object)) {
      const sim::Value value = own->value;
      co_await local_access();
      co_return value;
    }
  }
  co_return co_await node_.read(thread_, object, operation);
}

sim::Task<void> ApplicationThread::write(sim::Key object, sim::Value value, sim::OperationId operation) {
  if (buffer_) {
    if (!node_.latch_of(thread_, shared_.lines.line_of(object))) {
      co_await local_access();
      co_return co_await buffer_->put(object, value, operation);
    }
    co_await buffer_->drain();  // under the latch it is performed now, but not before earlier ones
  }
  co_await node_.write(thread_, object, value, operation);
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
  co_await node_.lock(thread_, line, mode == models::LockMode::exclusive, operation);
}

sim::Task<void> ApplicationThread::unlock(sim::Key line, sim::OperationId operation) {
  co_await fence(operation);
  co_await node_.unlock(thread_, line);
}

sim::Task<void> ApplicationThread::free(models::MemoryAllocator& allocator, models::GlobalAddress address,
                                        sim::OperationId operation) {
  const std::uint64_t lines = allocator.bytes_at(address) / shared_.options.line_bytes;
  co_await fence(operation);
  if (!co_await node_.nobody_holds(thread_, shared_.memory.block_of(address), lines, operation)) {
    throw std::invalid_argument(
        fmt::format("memory at {:#x} is to be freed, of which a line is cached or latched", address.value));
  }
  allocator.free(address);
}

}  // namespace racksim::selcc
