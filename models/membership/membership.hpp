// Membership: which nodes belong to a protocol's group. One service for every protocol that recovers from crashes.
//
// A manager on a management network of its own grants each member a lease and renews it (Gray and Cheriton, "Leases",
// SOSP 1989). A member counts its lease from the instant at which it asked, on its own clock; the manager from when it
// granted, and so much longer as a clock may be slow: when the manager takes a lease for over, the member does too. A
// node that does not renew, for it has crashed or cannot be reached, is taken for dead, in this order:
//
//   1. Every member, and every server that holds memory, cuts its queue pairs to the node. Once all have, nothing of it
//      is carried out any more, be it dead or not.
//   2. The protocol recovers, in rounds of its own (`recover`).
//   3. The node may come back as another incarnation, if the protocol can take it.
//
// Several may be dead at once: whoever is waited for in a round and is dead too is waited for no more once it is cut
// off itself. The manager never fails: in practice it is a replicated service. It works as a SimGrid actor, which looks
// for leases that are over every quarter of a lease.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/membership/membership_options.hpp"
#include "models/rack/rack.hpp"
#include "models/rack/roles.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/simgrid/engine.hpp"

namespace racksim::models {

/// A protocol whose nodes are members.
class MembershipObserver {
 public:
  /// In an event of the member's: it has just cut its queue pairs to a node.
  virtual void node_cut_off(NodeId member, NodeId lost) = 0;
  /// All have. Does what has to be done so that the others go on, and returns whether the node may come back.
  virtual sim::Task<bool> recover(NodeId lost) = 0;
  /// A node comes back, with nothing. Ends when it may be a member: its queue pairs and those of all members are
  /// connected, and what has to be done before is. Dies with the node.
  virtual sim::Task<void> admit(NodeId node) = 0;

 protected:
  ~MembershipObserver() = default;
};

/// Counters under "membership.".
struct MembershipCounters {
  sim::Metrics& m;
  sim::Counter& renewals = m.counter("membership.renewals", "leases", "leases granted");
  sim::Counter& exclusions = m.trouble("membership.exclusions", "nodes", "nodes taken for dead");
  sim::Counter& admissions = m.counter("membership.admissions", "nodes", "nodes that came back as another incarnation");
  sim::Counter& lease_waits =
      m.counter("membership.lease_waits", "waits", "times a node waited because its lease was over");
};

class Membership final : CrashObserver {
 public:
  /// What a member does for the manager.
  using Work = std::function<sim::Task<void>(NodeId)>;

  /// The nodes that compute are members from the beginning. Throws as MembershipOptions::check does.
  Membership(Rack& rack, const Roles& roles, const MembershipOptions& options, MembershipObserver& observer);
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// Adds the actor that looks for leases that are over.
  void add_actor(sim::Engine& engine);
  /// What it does each time: whoever's lease is over is taken for dead. For calendar events.
  void look();
  /// How often it looks.
  sim::Duration interval() const { return options_.interval(); }

  /// Whether the node may rely on being a member, by its own clock.
  bool holds_lease(NodeId node) const {
    const sim::Time until = members_[node]->lease_until;
    return rack_.calendar().now() < until || (!options_.heed_leases && until != sim::Time::beginning());
  }
  /// Ends as soon as it does.
  sim::Task<void> lease(NodeId node);
  /// Whether nobody is dead without being known to be, or being dealt with.
  bool at_rest() const;
  bool is_member(NodeId node) const { return members_[node]->standing == Standing::member; }
  /// Whether it is one or is about to be.
  bool belongs(NodeId node) const { return is_member(node) || members_[node]->standing == Standing::joining; }

  /// For `recover`: has every member do some work, as a message from the manager asks it to, and ends when each has
  /// answered, or will never.
  sim::Task<void> round(Work work);
  /// The same of these nodes, which are members or are about to be. Returns whether each has answered.
  sim::Task<bool> round(std::vector<NodeId> whom, Work work) { return hold_round(std::move(whom), std::move(work)); }
  /// The same of one member. Returns whether it has answered.
  sim::Task<bool> ask(NodeId member, Work work);

 private:
  enum class Standing : std::uint8_t {
    member,
    excluded,  ///< taken for dead; the protocol recovers
    gone,      ///< it may not come back
    welcome,   ///< it may
    joining    ///< it does
  };
  enum class Answer : std::uint8_t { granted, not_yet, start_over };
  struct Member {
    explicit Member(sim::Calendar& calendar) : granted(calendar), agent(calendar) {}
    Standing standing = Standing::member;
    std::uint32_t incarnation = 0;
    sim::Time granted_at{};   // by the manager, last
    sim::Time lease_until{};  // as the member counts
    sim::Signal granted;
    sim::Scope agent;  // what it does about membership; dies with it
  };
  /// Whom the manager waits for.
  struct Round {
    explicit Round(sim::Calendar& calendar) : moved(calendar) {}
    std::vector<NodeId> open{};
    bool all_have_answered = true;  ///< of those that are not open any more
    sim::Signal moved;
  };

  void node_crashed(NodeId node) override;
  void node_restarted(NodeId node) override;
  sim::Task<void> renew(NodeId node);
  Answer take_request(NodeId node, std::uint32_t incarnation);
  sim::Task<void> join(NodeId node);
  void start_over(std::uint64_t node);
  void exclude(NodeId node);
  sim::Task<void> fence(NodeId node);
  sim::Task<void> cut_off(NodeId member, NodeId lost);
  sim::Task<bool> hold_round(std::vector<NodeId> whom, Work work);
  sim::Task<void> at_member(std::shared_ptr<Round> round, NodeId member, Work work);
  void leave_round(Round& round, NodeId member, bool answered);
  void give_up_on(NodeId member);
  sim::Task<void> travel(NodeId member);
  std::vector<NodeId> members() const;

  Rack& rack_;
  Roles roles_;
  MembershipOptions options_;
  MembershipObserver& observer_;
  MembershipCounters counters_;
  sim::Clock clock_;  // of the manager, and of its network
  sim::Lane lane_;
  std::vector<std::unique_ptr<Member>> members_;  // by node, with servers that only hold memory
  std::vector<std::weak_ptr<Round>> rounds_;
  sim::Scope tasks_;  // of the manager
};

}  // namespace racksim::models
