// An application thread of a node that caches lines, as the memory service asks it.
#pragma once

#include "models/service/memory_service.hpp"

namespace racksim::line_cache {

/// `Node` derives from CachingNode.
template <class Node>
class ApplicationThread : public models::MemoryPort {
 public:
  ApplicationThread(Node& node, unsigned thread) : node_(node), thread_(thread) {}

  sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override {
    return node_.read(thread_, access, values, operation);
  }
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override {
    return node_.write(thread_, access, value, operation);
  }
  sim::Task<void> lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override {
    return node_.lock(thread_, line, mode == models::LockMode::exclusive, operation);
  }
  sim::Task<bool> try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override {
    return node_.try_lock(thread_, line, mode == models::LockMode::exclusive, operation);
  }
  sim::Task<void> unlock(sim::Key line, sim::OperationId) override { return node_.unlock(thread_, line); }

 protected:
  Node& node_;
  unsigned thread_;
};

}  // namespace racksim::line_cache
