// An application thread of SELCC, as the memory service asks it (§6.1, Table 2), and the relaxed mode (§6.2).
//
// An access takes the latch, accesses the line in the cache and gives the latch back; `lock` and `unlock` hold it over
// several. Allocating is the service's: memory servers hand out memory in bulk, and no message is worth a model. Whether
// a line may be freed its latch word says, which is read from memory.
#pragma once

#include <memory>

#include "protocols/line_cache/application_thread.hpp"
#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/write_buffer.hpp"

namespace racksim::selcc {

class ApplicationThread final : public line_cache::ApplicationThread<ComputeNode> {
 public:
  ApplicationThread(ComputeNode& node, unsigned thread);

  sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override;
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override;
  sim::Task<sim::Value> compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                         sim::OperationId operation) override;
  sim::Task<sim::Value> fetch_and_add(sim::Key object, std::uint64_t operand, sim::OperationId operation) override;
  sim::Task<void> fence(sim::OperationId operation) override;
  sim::Task<void> lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override;
  sim::Task<bool> try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override;
  sim::Task<void> unlock(sim::Key line, sim::OperationId operation) override;
  sim::Task<void> free(models::MemoryAllocator& allocator, models::GlobalAddress address,
                       sim::OperationId operation) override;

  NodeId node() const { return node_.id(); }
  /// Null unless writes return early.
  WriteBuffer* buffer() const { return buffer_.get(); }

 private:
  sim::Task<void> local_access(models::MemoryAccess access);

  std::unique_ptr<WriteBuffer> buffer_;
};

}  // namespace racksim::selcc
