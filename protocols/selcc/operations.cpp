// The API of SELCC (§6.1, Table 2) as the memory service has it, and the relaxed mode (§6.2).
//
// An access takes the latch, accesses the line in the cache and gives the latch back; `lock` and `unlock` hold it over
// several. Allocate and free are the service's: memory servers hand out memory in bulk, and no message is worth a
// model. Whether a line may be freed its latch word says, which is read from memory.
#include <fmt/core.h>

#include <stdexcept>

#include "models/host/core_wait.hpp"
#include "protocols/selcc/selcc.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::selcc {

// An atomic goes to memory past all caches, so it is right only for words that no cache holds. The caller sees to that;
// what can be seen to be wrong is refused.
void Selcc::check(models::Session session, sim::OperationKind kind, sim::Key line) const {
  latched_memory::check_latch(kind, session, line, nodes_[session.node]->latch_of(session.thread, line));
  const bool atomic = kind == sim::OperationKind::compare_and_swap || kind == sim::OperationKind::fetch_and_add;
  if (!atomic || lines_.word_of(line).free()) return;
  throw std::invalid_argument(fmt::format("an atomic on line {}, which is cached or latched: its word is {:#x}",
                                          sim::printed_key(line), lines_.word_of(line).bits()));
}

sim::Task<sim::Value> Selcc::do_read(models::Session session, sim::Key object, sim::OperationId operation) {
  if (options_.writes_return_early()) {
    if (const WriteBuffer::Write* own = buffer_of(session).newest(object)) {
      const sim::Value value = own->value;
      co_await models::occupy(rack_.server(session.node).core(session.thread), options_.local_access);
      co_return value;
    }
  }
  co_return co_await nodes_[session.node]->read(session.thread, object, operation);
}

sim::Task<void> Selcc::do_write(models::Session session, sim::Key object, sim::Value value,
                                sim::OperationId operation) {
  ComputeNode& node = *nodes_[session.node];
  if (options_.writes_return_early()) {
    if (!node.latch_of(session.thread, lines_.line_of(object))) {
      co_await models::occupy(rack_.server(session.node).core(session.thread), options_.local_access);
      co_return co_await buffer_of(session).put(object, value, operation);
    }
    co_await buffer_of(session).drain();  // under the latch it is performed now, but not before earlier ones
  }
  co_await node.write(session.thread, object, value, operation);
}

sim::Task<sim::Value> Selcc::do_compare_and_swap(models::Session session, sim::Key object, sim::Value expected,
                                                 sim::Value desired, sim::OperationId operation) {
  co_await do_fence(session, operation);
  const models::WorkRequest swap{
      .opcode = models::Opcode::compare_swap, .compare = expected, .swap_or_add = desired, .operation = operation};
  co_return sim::Value{co_await nodes_[session.node]->atomic_on_word(session.thread, object, swap)};
}

sim::Task<sim::Value> Selcc::do_fetch_and_add(models::Session session, sim::Key object, std::uint64_t operand,
                                              sim::OperationId operation) {
  co_await do_fence(session, operation);
  const models::WorkRequest add{.opcode = models::Opcode::fetch_add, .swap_or_add = operand, .operation = operation};
  co_return sim::Value{co_await nodes_[session.node]->atomic_on_word(session.thread, object, add)};
}

void Selcc::object_changed(sim::Key object, const models::AtomicUpdate& update) {
  if (update.after != update.before) performed(update.operation, object, sim::Value{update.after});
}

void Selcc::written(sim::Key line, ObjectRange objects) {
  if (recovery_ == nullptr) return;
  for (std::uint16_t index = objects.low; index < objects.high; ++index) {
    const sim::Value value{lines_.memory_of(line).word(lines_.address_of(line, index))};
    recovery_->unflushed().flushed(line, lines_.object_of(line, index), value);
  }
}

sim::Task<void> Selcc::do_fence(models::Session session, sim::OperationId) {
  if (options_.writes_return_early()) co_await buffer_of(session).drain();
}

sim::Task<void> Selcc::do_lock(models::Session session, sim::Key line, models::LockMode mode,
                               sim::OperationId operation) {
  co_await do_fence(session, operation);
  co_await models::occupy(rack_.server(session.node).core(session.thread), options_.local_access);
  co_await nodes_[session.node]->lock(session.thread, line, mode == models::LockMode::exclusive, operation);
}

sim::Task<void> Selcc::do_unlock(models::Session session, sim::Key line, sim::OperationId operation) {
  co_await do_fence(session, operation);
  co_await nodes_[session.node]->unlock(session.thread, line);
}

sim::Task<void> Selcc::do_free(models::Session session, models::GlobalAddress address, sim::OperationId operation) {
  const std::uint64_t lines = allocator().bytes_at(address) / options_.line_bytes;
  co_await do_fence(session, operation);
  if (!co_await nodes_[session.node]->nobody_holds(session.thread, block_of(address), lines, operation)) {
    throw std::invalid_argument(
        fmt::format("memory at {:#x} is to be freed, of which a line is cached or latched", address.value));
  }
  allocator().free(address);
}

// Writes that have returned and wait in a buffer die with their node.
void Selcc::lose_buffered(NodeId node) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (session_number(i).node != node) continue;
    for (const WriteBuffer::Write& write : buffers_[i]->writes()) {
      lost_write(write.object, write.value, sim::Loss::buffer);
    }
    buffers_[i]->crash();
  }
}

}  // namespace racksim::selcc
