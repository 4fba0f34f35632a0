// An application thread of FlowCC, as the memory service asks it (Concordia §6): its accesses are its requester's, its
// locks those of its node, its memory that of its allocator.
#pragma once

#include "protocols/flowcc/flowcc.hpp"

namespace racksim::flowcc {

class FlowCc::ApplicationThread final : public models::MemoryPort {
 public:
  ApplicationThread(FlowCc& flowcc, models::Session session)
      : flowcc_(flowcc),
        requester_(flowcc.nodes_[session.node]->requester(session.thread)),
        locks_(flowcc.nodes_[session.node]->locks()),
        allocator_(flowcc.allocation_->thread(session)),
        thread_(session.thread) {}

  sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override {
    return requester_.read(access, values.front(), operation);
  }
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override {
    return requester_.write(access, value, operation);
  }
  sim::Task<void> lock(sim::Key block, models::LockMode mode, sim::OperationId operation) override {
    co_await locks_.lock(thread_, block, mode, false, operation);
  }
  sim::Task<bool> try_lock(sim::Key block, models::LockMode mode, sim::OperationId operation) override {
    return locks_.lock(thread_, block, mode, true, operation);
  }
  sim::Task<void> unlock(sim::Key block, sim::OperationId) override { return locks_.unlock(thread_, block); }
  sim::Task<models::GlobalAddress> allocate(models::MemoryAllocator&, std::uint64_t bytes,
                                            const models::AllocationHint& hint, sim::OperationId operation) override {
    return allocator_.allocate(bytes, hint, operation);
  }
  sim::Task<void> free(models::MemoryAllocator&, models::GlobalAddress address, sim::OperationId operation) override {
    flowcc_.refuse_to_free_locked(address);
    return allocator_.free(address, operation);
  }

 private:
  FlowCc& flowcc_;
  Requester& requester_;
  BlockLocks& locks_;
  ThreadAllocator& allocator_;
  unsigned thread_;
};

}  // namespace racksim::flowcc
