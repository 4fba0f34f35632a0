// Who looks after switch and servers: nobody where blocks do not migrate; else the shadow node and who takes its place
// (shadow_succession.hpp), the coordinator of recoveries (recovery.hpp), and a watch over who owns what
// (migration_watch.hpp).
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "protocols/flowcc/control/migration_watch.hpp"
#include "protocols/flowcc/control/recovery.hpp"
#include "protocols/flowcc/control/shadow_succession.hpp"

namespace racksim::flowcc {

/// Does nothing: the switch and what crashes are lost for good.
class ControlPlane {
 public:
  virtual ~ControlPlane() = default;

  virtual void add_actors(sim::Engine&, std::span<const sim::HostId>) {}
  /// The switch works again, and knows nothing.
  virtual void switch_booted() {}
  /// A memory node is about to lose what it has, which it has still.
  virtual void node_fails(NodeId) {}
  virtual void server_crashed(NodeId) {}
  virtual bool takes_back(NodeId) const { return false; }
  virtual bool at_rest() const { return true; }
  /// Shows what is left of blocks whose homes are down.
  virtual void show_homeless(sim::StateVisitor&) const {}
  /// What is wrong with ownership although nothing is under way, and what was at some instant.
  virtual std::vector<models::Leak> wrong_at_rest() const { return {}; }
  virtual std::vector<models::Leak> wrong_before() const { return {}; }

  // Null where there is none.
  virtual ShadowSuccession* shadows() { return nullptr; }
  virtual Recovery* recovery() { return nullptr; }
};

class MigratingControlPlane final : public ControlPlane {
 public:
  /// `lose` and `free_locks` are what a recovery tells the service (recovery.hpp).
  MigratingControlPlane(Shared& shared, const std::vector<MemoryNode*>& nodes, SwitchOwner& owner,
                        Recovery::Service lose, std::function<void()> free_locks)
      : shared_(shared),
        nodes_(nodes),
        shadows_(shared, owner),
        watch_(shared, owner, {nodes.begin(), nodes.end()}),
        recovery_(shared, nodes, owner, shadows_, std::move(lose), std::move(free_locks)) {
    shared.rack.chassis().add_pass_observer(watch_);
  }

  void add_actors(sim::Engine& engine, std::span<const sim::HostId> servers) override {
    shadows_.add_actors(engine, servers);
    recovery_.add_actors(engine);
  }
  void switch_booted() override { recovery_.switch_booted(); }
  void node_fails(NodeId node) override { recovery_.node_fails(node); }
  void server_crashed(NodeId server) override { shadows_.node_crashed(server); }
  bool takes_back(NodeId node) const override {
    return node < nodes_.size() && shared_.options.recovery.of_nodes == RecoveryOptions::OfNodes::rebuild;
  }
  bool at_rest() const override { return recovery_.at_rest(); }
  // When the home is back it gets what is left.
  void show_homeless(sim::StateVisitor& visitor) const override {
    for (const auto& [tag, writes] : recovery_.what_is_left()) {
      const bool dirty = std::ranges::any_of(nodes_, [tag = tag](const MemoryNode* node) {
        const CacheEntry* entry = node->cache().find(tag);
        return entry != nullptr && entry->state == CacheEntry::State::dirty;
      });
      if (shared_.is_homeless(tag) && writes > 0 && !dirty) visitor.home(tag, shared_.writes.after(tag, writes));
    }
  }
  std::vector<models::Leak> wrong_at_rest() const override { return watch_.at_rest(); }
  std::vector<models::Leak> wrong_before() const override { return watch_.seen(); }
  ShadowSuccession* shadows() override { return &shadows_; }
  Recovery* recovery() override { return &recovery_; }

 private:
  Shared& shared_;
  std::vector<MemoryNode*> nodes_;
  ShadowSuccession shadows_;
  MigrationWatch watch_;
  Recovery recovery_;
};

}  // namespace racksim::flowcc
