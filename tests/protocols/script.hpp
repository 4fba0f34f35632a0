// A workload that has no operations of its own: whoever drives the run (tools/experiment/phases.hpp) gives its sessions
// theirs, one by one, as it goes on. It is in no registry: a scenario has no words for what is decided as one goes.
#pragma once

#include <cstdint>
#include <vector>

#include "models/service/key_value_service.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::models {

/// What the run begins with.
struct ScriptOptions final : WorkloadOptions {
  std::uint64_t threads = 1;
  /// Of a memory service: what all nodes share, in whole blocks, dealt out to the homes one after the other.
  std::uint64_t shared_bytes = 0;
  ItemSizes items;                ///< of a key-value service
  std::vector<sim::Key> hottest;  ///< its most popular keys, hottest first: what a cache may begin with

  void declare(sim::Parameters& p) override;
  /// Nothing that could be told beforehand.
  Footprint footprint(const RunScale&) const override { return {}; }
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

/// What `ScriptOptions` build.
class Script : public Workload {
 public:
  /// Begins a task of a node, which dies with it: an operation of one of its sessions, or several, one after the other.
  virtual void spawn(NodeId node, sim::Task<void> task) = 0;
};

}  // namespace racksim::models
