// FlowCC (Concordia): the running protocol, assembled on a rack.
#pragma once

#include <memory>
#include <vector>

#include "models/service/memory_service.hpp"
#include "protocols/flowcc/allocation/allocation.hpp"
#include "protocols/flowcc/control/control_plane.hpp"
#include "protocols/flowcc/node/memory_node.hpp"
#include "protocols/flowcc/switch/switch_coverage.hpp"
#include "protocols/flowcc/switch/switch_owner.hpp"

namespace racksim::flowcc {

class FlowCc final : public models::Protocol, public models::MemoryService, BlockObserver, models::BootObserver {
 public:
  FlowCc(models::ProtocolContext& context, const FlowCcOptions& options);
  ~FlowCc() override;

  models::Service& service() override { return *this; }
  void warm_access(models::Session session, models::GlobalAddress address, bool write) override;
  void warm_accesses(std::span<const WarmAccess> accesses) override;
  void add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) override;
  void show_state(sim::StateVisitor& visitor) const override;
  void node_fails(NodeId node) override;
  /// Where blocks do not migrate it leaves for good.
  void node_crashed(NodeId node) override;
  bool takes_back(NodeId node) const override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;
  std::vector<models::SwitchRegister> switch_state_of(sim::Key key) const override;

  /// Global metadata of a block, wherever its owner is. Outside the run.
  GlobalMetadata metadata(Tag tag) const;
  MemoryNode& node(NodeId id) { return *nodes_[id]; }
  const SwitchOwner& switch_owner() const { return *switch_; }
  /// Where blocks migrate; otherwise null.
  ShadowSuccession* shadows() { return control_->shadows(); }
  /// Where blocks migrate; otherwise null.
  Recovery* recovery() { return control_->recovery(); }
  const Recovery* recovery() const { return control_->recovery(); }
  /// Whether a node has been found dead, and is not back yet.
  bool is_absent(NodeId node) const { return shared_.absent[node]; }
  const Allocation& allocation() const { return *allocation_; }
  bool holder_died(models::Session session, models::GlobalAddress address) const override;

 protected:
  /// The switch owns what nodes share, as far as it has room.
  void reserved(models::GlobalAddress first, std::uint64_t bytes, const models::AllocationHint& hint) override;
  models::MemoryPort& port(models::Session session) override;
  void check(models::Session session, sim::OperationKind kind, sim::Key block) const override;

 private:
  class ApplicationThread;
  void note_dead_locks(NodeId node);
  void free_dead_locks();
  std::vector<models::Leak> wrong_lock_logs() const;
  void refuse_to_free_locked(models::GlobalAddress first) const;
  std::string thread_name(std::uint64_t requester) const;
  std::string owner_of(Tag tag) const;
  bool has_lock(const TimedRunner& requester) const;
  std::string holder_name(unsigned requester, Tag tag) const;
  const TimedRunner& runner_of(unsigned requester) const {
    return nodes_[shared_.node_of(requester)]->runner_of(requester);
  }
  void add_waits_of_unlocks(const TimedRunner& runner, std::vector<sim::Wait>& waits) const;
  std::vector<std::string> who_bars(const TimedRunner& waiting) const;
  void add_waits_of_event(const TimedRunner& waiting, std::vector<sim::Wait>& waits) const;
  std::string sender_of(const p4::Packet& packet, const FlowCcHeader& header) const;
  models::PacketDescription describe_block(const p4::Packet& packet) const;
  std::size_t state_of(Tag tag, NodeId node) override;
  void switch_booted() override;
  template <class Visit>
  void visit_runners(Visit&& visit) const {
    for (const auto& node : nodes_) node->visit_runners(visit);
  }
  /// Whether a node holds a block dirty, as its owner knows.
  bool held_dirty(Tag tag) const;
  /// Blocks whose metadata do not say who holds them and how. For a rack at rest.
  std::vector<models::Leak> wrong_metadata() const;
  template <class Change>
  GlobalMetadata warm_metadata(Tag tag, const Change& change);
  CacheEntry& warm_entry(MemoryNode& node, Tag tag);
  BlockData warm_fetch(Tag tag, GlobalMetadata old, bool write);

  models::Rack& rack_;
  FlowCcOptions options_;
  Counters counters_;
  sim::Metrics unseen_;  // has the counters that a run does not show
  MigrationCounters migration_counters_;
  WriteLog writes_;
  Shared shared_;
  sim::Source final_source_;
  std::vector<std::unique_ptr<MemoryNode>> nodes_;
  std::unique_ptr<SwitchOwner> switch_;
  std::unique_ptr<ControlPlane> control_;
  std::unique_ptr<Allocation> allocation_;
  std::vector<std::unique_ptr<ApplicationThread>> threads_;  // by session
  std::unique_ptr<SwitchCoverage> switch_coverage_;          // only if the run is asked for coverage
  struct TagRange {
    Tag begin, end;
  };
  std::vector<TagRange> declared_shared_;
  /// A lock whose holder has died with it, until a recovery frees it.
  struct DeadLock {
    models::Session holder;
    Tag tag;
  };
  std::vector<DeadLock> dead_locks_;
  bool switch_lost_state_ = false;
};

}  // namespace racksim::flowcc
