// A hot set that is learnt (ccKVS §4), on a rack: the coordinator, each node's part in the changes, and the channels
// between them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "protocols/cckvs/coordinator.hpp"

namespace racksim::cckvs {

class HotSet {
 public:
  /// What there is of a node already.
  struct Node {
    Shard& shard;
    SymmetricCache& cache;
  };
  HotSet(Shared& shared, const CacheOptions& cache, const HotSetOptions& options, std::uint64_t capacity,
         const std::vector<Node>& nodes);

  HandOverAgent& agent(NodeId node) { return *agents_[node]; }
  const HandOverAgent& agent(NodeId node) const { return *agents_[node]; }
  Coordinator& coordinator() { return *coordinator_; }

  /// These keys are in all caches from the beginning.
  void begin_with(std::span<const sim::Key> keys);
  /// A session asks a thread for a key.
  void look_at(sim::Key key, CacheThread& thread);

  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const { channels_.add_waits(waits); }
  /// Requests and changes that wait, and keys that not all nodes agree on; of nodes that live.
  void add_leaks(const std::vector<NodeId>& nodes, std::vector<models::Leak>& leaks) const;
  /// Keys that any node has a copy of, or takes part in a change of, in order.
  std::vector<sim::Key> keys() const;
  void crash(NodeId node);

 private:
  HotSetOptions options_;
  HotSetCounters counters_;
  ControlChannels channels_;
  std::vector<std::unique_ptr<HandOverAgent>> agents_;  // by node
  std::unique_ptr<Coordinator> coordinator_;
};

}  // namespace racksim::cckvs
