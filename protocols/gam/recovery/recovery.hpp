// Recovery of nodes that have crashed, from logs (GAM §5), with the gaps of the paper closed.
//
//   1. Membership cuts a node off (models/membership/). Each survivor strikes it off its lists; an acknowledgement that
//      is awaited from it counts as given; Shared copies of its lines go, but for those that are locked; requests to it
//      are withdrawn. Lines that it owns, or that were on their way to it, wait, and so does whoever wants them.
//   2. All nodes that have failed come back, with their logs; the rest is done for all of them at once.
//   3. First phase, lines of a home that has failed: its log's newest entry counts. A DLOG has the content. An OLOG
//      counts if the owner's newest write has its counter; the owner is the owner again, if it still or again has the
//      line. If not the entry is undone, and the one before counts, which is valid: never more than two trials.
//   4. Second phase, lines of survivors that a failed node owned or that were on their way: the same by the survivor's
//      log, where a request was under way into the home's memory.
//      What a failed node had sent, as its home knows, and did not arrive is sent again from its log. (Here the paper
//      would have to undo the transfer: the directory names a live owner that has nothing.)
//   5. Copies that survivors have locked are announced and put on the lists again. Only then everybody goes on, and
//      requests that were withdrawn are sent anew.
//
// Time: each failed node reads its log once, and each line that another node is asked about costs both workers a
// message. The outcome of 3 to 5 takes effect at one instant, as the manager's word: answers cannot change meanwhile,
// for nobody touches these lines, and a node that crashes before that instant finds nothing half done. (The paper has
// no such barrier; without one a survivor could meet a home that is half recovered.)
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/membership/membership.hpp"
#include "models/service/memory_service.hpp"
#include "protocols/gam/node/node.hpp"
#include "protocols/gam/rules/shared.hpp"

namespace racksim::gam {

/// All of the rack, in their order.
using Nodes = std::vector<std::unique_ptr<Node>>;

class Recovery final : public models::MembershipObserver, LineRecovery {
 public:
  /// Tells that a node's threads are dead: gives back their locks, and says which of their writes are lost.
  using Bury = std::function<void(NodeId node)>;

  Recovery(Shared& shared, const Nodes& nodes, const models::Roles& roles, Bury bury);

  models::Membership& membership() { return membership_; }
  /// Whether nobody is dead, or on its way back.
  bool at_rest() const;
  void node_crashed(NodeId node);

 private:
  void node_cut_off(NodeId member, NodeId lost) override;
  sim::Task<bool> recover(NodeId lost) override;
  sim::Task<void> admit(NodeId node) override;
  void recover_line(NodeId home, sim::Key line) override;

  bool all_are_back() const;
  sim::Task<void> bring_back();
  sim::Task<void> scan(NodeId node);
  sim::Task<void> validate(NodeId node);
  void commit();
  void send_again(NodeId survivor);
  std::vector<Sharer> sharers_of(NodeId home, sim::Key line) const;
  std::vector<sim::Key> lines_of(Node& home) const;
  const LogEntry* valid_content(sim::Key line, const LogEntry& entry) const;
  bool owns(NodeId node, sim::Key line, std::uint32_t counter) const;
  void promote(Node& home, sim::Key line, const LogEntry& entry, const LogEntry* content);
  bool keeps_whole_logs() const;

  Shared& shared_;
  const Nodes& nodes_;
  Bury bury_;
  std::vector<std::uint32_t> lives_;  // by node: the incarnation that is or was a member
  std::vector<bool> returning_;       // by node: it waits in `admit`
  bool at_work_ = false;              // a task brings them back
  sim::Clock clock_;                  // the manager's
  sim::Signal back_;
  sim::Scope tasks_;
  models::Membership membership_;  // tells the rest
};

}  // namespace racksim::gam
