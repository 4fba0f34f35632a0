// The cache agent of a memory node: invalidates and supplies blocks that the node caches (Concordia §5.1.1,
// "Invalidation and Data Transfer"). What it does with a request its responder decides (cache_responder.hpp); here are
// its queue pairs, its core's time, and what it counts for the shadow node.
#pragma once

#include "protocols/flowcc/events/cache_responder.hpp"
#include "protocols/flowcc/node/given_away.hpp"
#include "protocols/flowcc/node/node_state.hpp"
#include "protocols/flowcc/node/recovery_writes.hpp"

namespace racksim::flowcc {

/// One background thread, on a core of its own.
class CacheAgent final : public models::PacketHandler, public models::CompletionHandler, ResponderHost {
 public:
  CacheAgent(Shared& shared, NodeState& node, models::Core& core);

  Endpoint& endpoint() { return endpoint_; }
  models::Core& core() { return core_; }
  /// What it keeps, and what it writes, for a recovery.
  GivenAway& given_away() { return given_away_; }
  const GivenAway& given_away() const { return given_away_; }
  RecoveryWrites& recovery_writes() { return recovery_writes_; }

  /// An epoch is over: the shadow node is told how often which blocks of the switch have been invalidated here.
  void epoch_over() {
    const auto blocks = static_cast<std::int64_t>(invalidations_.size());
    core_.run<&CacheAgent::report_heat>(MigrationOptions::kWorkPerBlock * blocks, *this);
  }
  /// The node has crashed, and knows nothing any more.
  void crash();
  /// This requester begins with number 1 again.
  void forget_requester(RequesterId requester) { responder_.forget_requester(requester); }

  void on_packet(p4::PacketRef packet) override;
  // When it fails the requester waits for the block in vain: nothing joins a broken connection again.
  void on_completion(const models::Completion& completion) override {
    if (shared_.is_failure(completion)) ++shared_.counters.failed_transfers.value;
    recovery_writes_.completed(completion);
  }

 private:
  void acknowledge(const FlowCcHeader& ack, NodeId to, sim::OperationId operation) override {
    ++shared_.counters.cache_sent.value;
    endpoint_.send(ack, to, operation);
  }
  void provide(const FlowCcHeader& request, const BlockData& block, sim::OperationId operation) override;
  void began(RequesterId requester) override { given_away_.forget(requester); }
  void gave_away(RequesterId requester, const BlockData& block) override { given_away_.keep(requester, block); }
  void invalidated(const FlowCcHeader& request) override {
    if (request.is_in_switch != 0) invalidations_.add(request.tag(), 1);
  }
  void permission_changed(Tag tag, sim::Permission permission, sim::OperationId operation) override {
    node_.permission_changed(tag, permission, operation);
  }
  void report_heat();

  Shared& shared_;
  NodeState& node_;
  models::Core& core_;
  Endpoint endpoint_;
  CacheResponder responder_;
  Hotness invalidations_;  // in this epoch, of blocks that the switch owns
  GivenAway given_away_;
  RecoveryWrites recovery_writes_;
};

}  // namespace racksim::flowcc
