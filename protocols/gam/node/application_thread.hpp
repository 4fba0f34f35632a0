// An application thread of GAM, as the memory service asks it: its accesses and locks are sessions of its node
// (node/sessions.hpp), its memory comes from its node's allocation.
#pragma once

#include "models/service/memory_service.hpp"
#include "protocols/gam/node/node.hpp"

namespace racksim::gam {

class ApplicationThread final : public models::MemoryPort {
 public:
  ApplicationThread(const Shared& shared, Node& node, std::uint16_t thread)
      : shared_(shared), sessions_(node.sessions()), allocation_(node.allocation()), thread_(thread) {}

  sim::Task<sim::Value> read(sim::Key object, sim::OperationId operation) override {
    return sessions_.read(thread_, object, operation);
  }
  sim::Task<void> write(sim::Key object, sim::Value value, sim::OperationId operation) override {
    return sessions_.write(thread_, object, value, operation);
  }
  sim::Task<sim::Value> compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                         sim::OperationId operation) override {
    Request request = atomic(OperationKind::compare_and_swap, object, desired, operation);
    request.expected = expected;
    return sessions_.update(thread_, request);
  }
  sim::Task<sim::Value> fetch_and_add(sim::Key object, std::uint64_t operand, sim::OperationId operation) override {
    return sessions_.update(thread_, atomic(OperationKind::fetch_and_add, object, sim::Value(operand), operation));
  }
  sim::Task<void> fence(sim::OperationId) override { return sessions_.fence(thread_); }
  sim::Task<void> lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override {
    const bool shared = mode == models::LockMode::shared;
    co_await sessions_.lock(thread_, line, shared ? OperationKind::lock_shared : OperationKind::lock, operation);
  }
  sim::Task<bool> try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override {
    const bool shared = mode == models::LockMode::shared;
    return sessions_.lock(thread_, line, shared ? OperationKind::try_lock_shared : OperationKind::try_lock, operation);
  }
  sim::Task<void> unlock(sim::Key line, sim::OperationId operation) override {
    return sessions_.unlock(thread_, line, operation);
  }
  sim::Task<models::GlobalAddress> allocate(models::MemoryAllocator&, std::uint64_t bytes,
                                            const models::AllocationHint& hint, sim::OperationId operation) override {
    return allocation_.allocate(thread_, bytes, hint, operation);
  }
  sim::Task<void> free(models::MemoryAllocator&, models::GlobalAddress address, sim::OperationId operation) override {
    return allocation_.free(thread_, address, operation);
  }

 private:
  using OperationKind = sim::OperationKind;
  Request atomic(OperationKind kind, sim::Key object, sim::Value value, sim::OperationId operation) const {
    return {.line = shared_.line_of(object),
            .kind = kind,
            .object = shared_.index_of(object),
            .thread = thread_,
            .operation = operation,
            .value = value};
  }

  const Shared& shared_;
  Sessions& sessions_;
  Allocation& allocation_;
  std::uint16_t thread_;
};

}  // namespace racksim::gam
