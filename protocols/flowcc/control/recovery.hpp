// Stop-the-world recovery (Concordia §5.4): one procedure for a switch that has lost its state, for a node that has
// failed, and for one that comes back.
//
//   stop     every node aborts the operations that are under way, drops unlocks, closes its connections and joins a new
//            incarnation, to which no older packet or WRITE belongs
//   load     the control CPU clears the switch's arrays, and fills tables, groups and the parser's value set: the
//            switch takes packets of the new incarnation for FlowCC's, and of no other
//   connect  reliable connections begin anew
//   save     data that were on their way home are written there (node_recovery.hpp)
//   report   each cache agent tells the homes of its blocks, and which are dirty
//   rebuild  homes make metadata of it, and own all blocks; the shadow node forgets what it knew
//   supply   homes whose memory is older than a copy that is left get that
//   go       operations are tried again. Applications see none of this: each is still the one operation that they began
//
// The coordinator is outside of the data network: a SimGrid actor that sees whether the switch's links are up, and
// speaks with the nodes over the management network, one step after the other (models/membership). If the switch fails
// again meanwhile, or another node, the recovery begins again.
//
// A node that has failed takes part no more. Accesses to the blocks of which it is the home end with an error until it
// is back (`Unavailable`), but for those that a cache serves. When it is, with nothing in memory and cache, all recover
// once more: it joins the new incarnation, and gets the values that are left of its blocks. What is not left is told
// of: each acknowledged write after the newest value in a living cache, in a memory, in what cache agents keep or on
// its way home. As printed (`of_nodes: "printed"`) requests are drained and locks released instead, which does not end
// while a request waits for the node.
//
// A server of the shadow node's own that fails costs no recovery: another takes over (shadow_succession.hpp). If all
// have stopped already the recovery begins again, with that one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "models/membership/membership.hpp"
#include "protocols/flowcc/control/shadow_succession.hpp"
#include "protocols/flowcc/node/memory_node.hpp"
#include "protocols/flowcc/switch/switch_owner.hpp"

namespace racksim::flowcc {

class Recovery final : public models::MembershipObserver {
 public:
  /// Tells that a write is lost, and which value the block has instead: kNeverWritten if nothing is left of it.
  using Service = std::function<void(Tag tag, sim::Value value, sim::Loss why, sim::Value recovered)>;

  /// `free_locks` frees those that dead threads had: the record knows them, and nobody reports them any more.
  Recovery(Shared& shared, std::vector<MemoryNode*> nodes, SwitchOwner& owner, ShadowSuccession& shadows, Service lose,
           std::function<void()> free_locks);

  /// Adds the actors that look for leases that are over and for links that are down.
  void add_actors(sim::Engine& engine);
  /// Begins a recovery if the switch has no power. For calendar events.
  void look() {
    if (!busy_ && shared_.rack.chassis().is_off()) begin();
  }
  /// The switch works again, and knows nothing.
  void switch_booted() {
    if (!busy_) return begin();
    if (!waits_for_boot_) again_ = true;
    booted_.notify_all();
  }
  /// A node is about to lose what it has, which it has still.
  void node_fails(NodeId node);

  models::Membership& membership() { return membership_; }
  /// For the record: of each block of which anything alive has a value, how many writes had been performed when it had
  /// the newest of these (WriteLog).
  std::map<Tag, std::size_t> what_is_left() const;
  bool at_rest() const { return !busy_ && membership_.at_rest(); }
  /// Whether one is under way, how many times one has begun, and how many have ended.
  bool busy() const { return busy_; }
  std::uint32_t begun() const { return incarnation_; }
  std::uint32_t ended() const { return ended_count_; }

 private:
  void node_cut_off(NodeId, NodeId) override {}
  sim::Task<bool> recover(NodeId lost) override;
  sim::Task<void> admit(NodeId node) override;

  void begin() {
    busy_ = shared_.recovering = true;
    tasks_.spawn(run());
  }
  bool is_memory_node(NodeId server) const { return server < nodes_.size(); }
  sim::Task<void> follow_shadow();
  sim::Task<void> recovered();
  sim::Task<void> run();
  sim::Task<void> as_printed();
  void release_locks() {
    owner_.release_locks();
    for (MemoryNode* node : nodes_) node->home_agent().forget();
  }
  sim::Task<void> at_all(models::Membership::Work work);
  sim::Task<void> unless_dead(NodeId node, models::Membership::Work work);
  void welcome() {
    for (const NodeId node : participants_) shared_.absent[node] = false;
  }
  void tell_of_losses();
  sim::Task<void> load_switch();
  // Steps of a node.
  sim::Task<void> stop(NodeId node);
  sim::Task<void> at_once(void (NodeRecovery::*step)(), NodeId node);
  /// A step that may fail, after which all begins again.
  sim::Task<void> heed(sim::Task<bool> step);

  Shared& shared_;
  std::vector<MemoryNode*> nodes_;
  SwitchOwner& owner_;
  ShadowSuccession& shadows_;
  models::Membership membership_;
  sim::Clock clock_;  // of the coordinator
  sim::Lane lane_;
  sim::Signal booted_, ended_;
  sim::Scope tasks_;
  Service lose_;
  std::function<void()> free_locks_;
  std::vector<NodeId> participants_;  // of the recovery under way
  struct DiedWith {
    std::size_t home = 0, write_back = 0;  // writes in what its memory had, and in what it was writing home
  };
  std::map<Tag, DiedWith> died_with_;  // of what nodes that have crashed had since losses were last told
  bool anybody_died_ = false;
  std::uint32_t incarnation_ = 0, ended_count_ = 0;
  bool busy_ = false, again_ = false, waits_for_boot_ = false;
};

}  // namespace racksim::flowcc
