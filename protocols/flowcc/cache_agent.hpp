// The cache agent of a memory node: invalidates and supplies blocks that the node caches (Concordia §5.1.1,
// "Invalidation and Data Transfer").
#pragma once

#include "protocols/flowcc/last_executed.hpp"
#include "protocols/flowcc/network.hpp"

namespace racksim::flowcc {

class MemoryNode;

/// One background thread, on a core of its own.
class CacheAgent final : public models::PacketHandler, public models::CompletionHandler {
 public:
  CacheAgent(Shared& shared, MemoryNode& node, models::Core& core);

  Endpoint& endpoint() { return endpoint_; }
  models::Core& core() { return core_; }

  /// An epoch is over: the shadow node is told how often which blocks of the switch have been invalidated here.
  void epoch_over();
  /// The node has crashed, and knows nothing any more.
  void crash();
  /// This requester begins with number 1 again.
  void forget_requester(RequesterId requester) { last_executed_.forget(requester); }

  void on_packet(p4::PacketRef packet) override;
  void on_completion(const models::Completion& completion) override;

 private:
  void report_heat();

  Shared& shared_;
  MemoryNode& node_;
  models::Core& core_;
  Endpoint endpoint_;
  LastExecuted last_executed_;
  Hotness invalidations_;  // in this epoch, of blocks that the switch owns; where blocks migrate
};

}  // namespace racksim::flowcc
