// The home agent of a memory node: serves data from its global memory, and manages coherence in software for the blocks
// of which the switch is not the owner (Concordia §5.1.1, §5.2). What it knows and decides is its directory's
// (home_directory.hpp); here are its queue pairs, its core's time and its clock.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/flowcc/events/home_directory.hpp"
#include "protocols/flowcc/node/node_state.hpp"

namespace racksim::flowcc {

/// One background thread, on a core of its own.
class HomeAgent final : public models::PacketHandler, public models::CompletionHandler, DirectoryHost {
 public:
  HomeAgent(Shared& shared, const NodeState& node, models::Core& core);

  Endpoint& endpoint() { return endpoint_; }
  models::Core& core() { return core_; }
  HomeDirectory& directory() { return directory_; }
  const HomeDirectory& directory() const { return directory_; }

  /// Locks that are held.
  std::vector<models::Leak> held_locks() const;

  /// What it has given away and what it is about to.
  HomeMigration& migration() { return directory_.migration(); }
  const HomeMigration& migration() const { return directory_.migration(); }
  /// An epoch is over: hot blocks move, and the shadow node is told which have.
  void epoch_over() {
    const auto blocks = static_cast<std::int64_t>(migration().counted());
    core_.run<&HomeAgent::end_epoch>(MigrationOptions::kWorkPerBlock * blocks, *this);
  }
  /// All have stopped: no lock is held and no migration under way any more.
  void forget() {
    stop_waiting();
    directory_.forget();
  }

  void on_packet(p4::PacketRef packet) override;
  // When it fails the requester waits for the block in vain: nothing joins a broken connection again.
  void on_completion(const models::Completion& completion) override {
    if (shared_.is_failure(completion)) ++shared_.counters.failed_transfers.value;
  }

 private:
  void send(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) override {
    ++shared_.counters.home_sent.value;
    endpoint_.send(header, destination, operation);
  }
  void send_copy(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) override {
    ++shared_.counters.home_sent.value;
    endpoint_.send_after(shared_.options.multicast_copy_work, header, destination, operation);
  }
  void provide(const FlowCcHeader& request, sim::OperationId operation) override;
  void send_move(const FlowCcHeader& header, bool again) override;
  void stop_waiting() override {
    shared_.calendar.cancel(move_timer_);
    move_timer_ = {};
  }
  void told_of_death(Tag tag, Copyset witnesses) override;
  sim::Time now() const override { return shared_.calendar.now(); }
  void end_epoch();
  void move_timed_out() {
    endpoint_.report_timeout(*migration().moving(), 0, move_patience_);
    migration().timed_out();
  }

  Shared& shared_;
  const NodeState& node_;
  models::Core& core_;
  Endpoint endpoint_;
  HomeDirectory directory_;
  sim::Duration move_patience_;  // timeout of the latest packet of a migration
  sim::EventId move_timer_;
};

}  // namespace racksim::flowcc
