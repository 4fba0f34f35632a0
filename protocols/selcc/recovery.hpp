// What SELCC does about a compute node that has crashed (`recovery: "fence"`). The paper has no recovery; these steps,
// in this order, were found by model checking (with `undo: "waited"`, so that a word can be decoded at any instant):
//
//   1. Membership cuts the node off: nothing of it is carried out any more (models/membership/).
//   2. Claim: whoever has a line from it that it has not confirmed looks into the word. If that still names the dead
//      node it puts itself there; what it has Shared it writes to memory first, for the flush may not have landed.
//   3. Recheck: whoever waits for its answer looks into the word too. Its own part may be there already although the
//      line never came: then it has the line, as memory has it.
//   4. Then only is the dead node taken out of words, by CAS: by whoever meets it there or, with `sweep`, from all of
//      them. Only after a sweep, and when no such CAS is under way any more, may its id be used again, by another
//      incarnation.
//
// What is lost are the writes that memory has not seen to lines whose word still names the dead node as the owner after
// step 3, and to those that step 3 takes from memory: also the writes of earlier owners, for a handover flushes
// nothing. Each is told of. Steps 2 to 4 at a node are in survivor.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/membership/membership.hpp"
#include "models/service/memory_service.hpp"
#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/unflushed_writes.hpp"

namespace racksim::selcc {

class Recovery final : models::MembershipObserver {
 public:
  /// What it needs of the service: to tell of a write that is lost, and to give back a latch for a dead session.
  struct Service {
    std::function<void(sim::Key object, sim::Value value)> lose;
    std::function<void(models::Session holder, sim::Key line)> unlock;
    std::function<std::vector<Region>()> allocated;  ///< all lines in use
  };

  Recovery(Shared& shared, const models::Roles& roles, const models::MembershipOptions& options, bool sweeps,
           Service service);

  models::Membership& membership() { return membership_; }
  bool holds_lease(NodeId node) const { return membership_.holds_lease(node); }
  sim::Task<void> lease(NodeId node) { return membership_.lease(node); }
  /// Whether words may still name a node that is not there, or not any more.
  bool is_lost(NodeId node) const { return !connected_[node] || !membership_.is_member(node); }
  /// Whether all that is known to be dead is dealt with.
  bool at_rest() const { return membership_.at_rest(); }

  UnflushedWrites& unflushed() { return unflushed_; }
  /// A line has been taken from memory although somebody had it Modified.
  void lose(sim::Key line);
  void node_crashed(NodeId node);

 private:
  void node_cut_off(NodeId member, NodeId lost) override;
  sim::Task<bool> recover(NodeId lost) override;
  sim::Task<void> admit(NodeId node) override;
  sim::Task<void> have_swept(NodeId lost);
  sim::Task<void> sweep_first(NodeId node);
  void lose_lines_of(NodeId lost);

  Shared& shared_;
  bool sweeps_;
  Service service_;
  std::vector<bool> connected_;  // with all others that are, by node: not crashed, or come back
  std::uint64_t departed_ = 0;   // whom words may be rid of, as reader bits
  std::uint64_t unswept_ = 0;    // of whom nobody was left to rid them, as reader bits
  std::optional<NodeId> sweeper_;
  UnflushedWrites unflushed_;
  models::Membership membership_;  // tells the rest
};

}  // namespace racksim::selcc
