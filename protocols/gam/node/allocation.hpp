// Global memory as a node allocates it (GAM §2.1): at the node of an affinity address, or as a hint says; by default
// locally, under memory pressure at the node that has most free memory by the statistics that all nodes send each other
// every period.
#pragma once

#include <map>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::gam {

class Allocation {
 public:
  Allocation(Shared& shared, Output& output);

  /// Throws std::bad_alloc if the node that is asked has no room, nor, where it may be another, any.
  sim::Task<models::GlobalAddress> allocate(unsigned thread, std::uint64_t bytes, models::AllocationHint hint,
                                            sim::OperationId operation);
  /// Throws std::invalid_argument for what is not allocated.
  sim::Task<void> free(unsigned thread, models::GlobalAddress address, sim::OperationId operation);
  void take(const Message& message);

  /// A node is taken for dead: what it was asked to allocate is not, as if it had no memory.
  void cut_off(NodeId lost);
  /// It is back: what it was asked to free is asked again.
  void ask_again(NodeId home);
  void crash();

 private:
  /// A thread that waits for another node's reply.
  struct Waiter {
    sim::Signal over;
    NodeId whom;
    Message asked;
    bool done = false;
    bool again = false;  ///< it may have been done before
    std::uint64_t address = 0;
  };

  NodeId choose(const models::AllocationHint& hint) const;
  NodeId most_free(bool others_only) const;
  bool under_pressure() const;
  std::uint64_t free_here() const;
  void tell_statistics();
  void ask(Waiter& waiter);
  models::Server& server() const { return shared_.rack.server(self_); }

  Shared& shared_;
  Output& output_;
  NodeId self_;
  std::vector<std::uint64_t> free_;           // by node, as it has told; its own is looked up
  std::map<std::uint32_t, Waiter*> waiting_;  // by request
  std::uint32_t next_request_ = 0;
};

}  // namespace racksim::gam
