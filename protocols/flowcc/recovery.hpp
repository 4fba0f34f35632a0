// Stop-the-world recovery (Concordia §5.4): one procedure for a switch that has lost its state, and, so far as the
// living go, for a node that has failed.
//
//   stop     every node aborts the operations that are under way, drops unlocks, closes its connections and joins a new
//            incarnation, to which no older packet or WRITE belongs
//   load     the control CPU clears the switch's arrays, and fills tables, groups and the parser's value set: the
//   switch
//            takes packets of the new incarnation for FlowCC's, and of no other
//   connect  reliable connections begin anew
//   save     data that were on their way home are written there (node_recovery.hpp)
//   report   each cache agent tells the homes of its blocks, and which are dirty
//   rebuild  homes make metadata of it, and own all blocks; the shadow node forgets what it knew
//   go       operations are tried again. Applications see none of this: each is still the one operation that they began
//
// The coordinator is outside of the data network: a SimGrid actor that sees whether the switch's links are up, and
// speaks with the nodes over the management network, one step after the other (models/membership). If the switch fails
// again meanwhile, the recovery begins again.
//
// Simplified: replication groups are set by direct calls that cost as many control operations.
#pragma once

#include <cstdint>
#include <vector>

#include "models/membership/membership.hpp"
#include "protocols/flowcc/memory_node.hpp"
#include "protocols/flowcc/shadow_node.hpp"
#include "protocols/flowcc/switch_owner.hpp"

namespace racksim::flowcc {

class Recovery final : public models::MembershipObserver {
 public:
  Recovery(Shared& shared, std::vector<MemoryNode*> nodes, SwitchOwner& owner, ShadowNode& shadow);

  /// Adds the actors that look for leases that are over and for links that are down.
  void add_actors(sim::Engine& engine);
  /// Begins a recovery if the switch has no power. For calendar events.
  void look();
  /// The switch works again, and knows nothing.
  void switch_booted();

  bool at_rest() const { return !busy_ && membership_.at_rest(); }

 private:
  void node_cut_off(NodeId, NodeId) override {}
  sim::Task<bool> recover(NodeId lost) override;
  sim::Task<void> admit(NodeId) override { co_return; }

  void begin();
  sim::Task<void> run();
  sim::Task<void> load_switch();
  // Steps of a node.
  sim::Task<void> stop(NodeId node);
  sim::Task<void> connect(NodeId node);
  sim::Task<void> go(NodeId node);
  /// Steps that may fail, after which all begins again.
  sim::Task<void> save(NodeId node);
  sim::Task<void> report(NodeId node);

  Shared& shared_;
  std::vector<MemoryNode*> nodes_;
  SwitchOwner& owner_;
  ShadowNode& shadow_;
  models::Membership membership_;
  sim::Clock clock_;  // of the coordinator
  sim::Lane lane_;
  sim::Signal booted_, loaded_;
  sim::Scope tasks_;
  std::vector<AbortedEvent> aborted_;
  std::uint32_t incarnation_ = 0;
  std::uint64_t operations_ = 0;  // of the control CPU, not done
  bool busy_ = false, again_ = false, waits_for_boot_ = false;
};

}  // namespace racksim::flowcc
