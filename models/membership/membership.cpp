// Leases, exclusion and return. See membership.hpp.
#include "models/membership/membership.hpp"

#include <algorithm>
#include <utility>

namespace racksim::models {

Membership::Membership(Rack& rack, const Roles& roles, const MembershipOptions& options, MembershipObserver& observer)
    : rack_(rack),
      roles_(roles),
      options_(options),
      observer_(observer),
      counters_{rack.metrics()},
      clock_(rack.calendar(), "membership"),
      lane_(rack.calendar().add_lane("membership/manager")),
      tasks_(rack.calendar()) {
  options_.check(rack.options().rtt);
  for (NodeId node = 0; node < rack.nodes(); ++node) {
    Member& member = *members_.emplace_back(std::make_unique<Member>(rack.calendar()));
    if (!roles_.computes(node)) continue;
    member.lease_until = sim::Time{} + options_.lease;
    member.agent.spawn(renew(node));
  }
  rack.observe_crashes(*this);
}

Membership::~Membership() = default;

void Membership::add_actor(sim::Engine& engine) {
  engine.add_actor("membership", engine.add_host("membership"), [this](sim::Engine::Actor& actor) {
    for (;;) {
      actor.sleep(interval());
      actor.post<&Membership::look>(lane_, *this);
    }
  });
}

void Membership::look() {
  for (const NodeId node : members()) {
    if (rack_.calendar().now() >= members_[node]->granted_at + options_.patience()) exclude(node);
  }
}

bool Membership::at_rest() const {
  for (NodeId node = 0; node < roles_.compute_nodes; ++node) {
    const Member& member = *members_[node];
    const Server& server = rack_.server(node);
    const bool unnoticed =
        member.standing == Standing::member && (!server.is_on() || member.incarnation != server.incarnation());
    if (member.standing == Standing::excluded || unnoticed) return false;
  }
  return true;
}

sim::Task<void> Membership::lease(NodeId node) {
  if (!holds_lease(node)) ++counters_.lease_waits.value;
  while (!holds_lease(node)) co_await members_[node]->granted.wait();
}

std::vector<NodeId> Membership::members() const {
  std::vector<NodeId> present;
  for (NodeId node = 0; node < roles_.compute_nodes; ++node) {
    if (is_member(node)) present.push_back(node);
  }
  return present;
}

// What a node asks for, as each of its incarnations, from its start on.
sim::Task<void> Membership::renew(NodeId node) {
  Server& server = rack_.server(node);
  Member& member = *members_[node];
  const std::uint32_t incarnation = server.incarnation();
  for (;;) {
    const sim::Time asked = rack_.calendar().now();
    if (server.has_management_link()) {
      co_await sim::sleep_for(clock_, options_.latency);
      const Answer answer = take_request(node, incarnation);
      co_await sim::sleep_for(clock_, options_.latency);
      if (server.has_management_link() && answer == Answer::granted) {
        member.lease_until = std::max(member.lease_until, asked + server.clock().true_length(options_.lease));
        member.granted.notify_all();
      } else if (server.has_management_link() && answer == Answer::start_over) {
        rack_.calendar().at<&Membership::start_over>(rack_.calendar().now(), lane_, *this, std::uint64_t{node});
        co_return;
      }
    }
    co_await sim::sleep_for(server.clock(), interval());
  }
}

Membership::Answer Membership::take_request(NodeId node, std::uint32_t incarnation) {
  Member& member = *members_[node];
  if (member.standing == Standing::member && member.incarnation != incarnation) exclude(node);  // it has been dead
  if (member.standing == Standing::welcome && member.incarnation != incarnation) {
    member.standing = Standing::joining;
    member.incarnation = incarnation;
    member.agent.spawn(join(node));
  }
  if (member.standing == Standing::member) {
    member.granted_at = rack_.calendar().now();
    ++counters_.renewals.value;
    return Answer::granted;
  }
  const bool joins = member.standing == Standing::joining;
  return member.incarnation == incarnation && !joins ? Answer::start_over : Answer::not_yet;
}

sim::Task<void> Membership::join(NodeId node) {
  co_await observer_.admit(node);
  members_[node]->standing = Standing::member;
  members_[node]->granted_at = rack_.calendar().now();
  ++counters_.admissions.value;
}

// It lives, but nobody listens to it any more: what it has is worth nothing.
void Membership::start_over(std::uint64_t node) {
  rack_.crash(static_cast<NodeId>(node));
  rack_.restart(static_cast<NodeId>(node));
}

void Membership::node_crashed(NodeId node) {
  Member& member = *members_[node];
  member.agent.cancel_all();
  member.lease_until = sim::Time::beginning();
  // Of a member it is known when its lease is over; of others nothing more will be.
  if (!roles_.computes(node) || member.standing != Standing::member) give_up_on(node);
  if (member.standing == Standing::joining) member.standing = Standing::welcome;
}

void Membership::node_restarted(NodeId node) {
  if (roles_.computes(node)) members_[node]->agent.spawn(renew(node));
}

void Membership::exclude(NodeId node) {
  members_[node]->standing = Standing::excluded;
  ++counters_.exclusions.value;
  tasks_.spawn(fence(node));
}

sim::Task<void> Membership::fence(NodeId node) {
  std::vector<NodeId> everybody = members();
  for (NodeId server = roles_.first_memory_node; roles_.holds_memory(server); ++server) {
    const bool told = std::find(everybody.begin(), everybody.end(), server) != everybody.end();
    if (!told && server != node && rack_.server(server).is_on()) everybody.push_back(server);
  }
  const Work cut = [this, node](NodeId member) { return cut_off(member, node); };
  co_await hold_round(std::move(everybody), cut);
  give_up_on(node);
  const bool may_return = co_await observer_.recover(node);
  members_[node]->standing = may_return ? Standing::welcome : Standing::gone;
}

sim::Task<void> Membership::cut_off(NodeId member, NodeId lost) {
  if (options_.cut_queue_pairs) rack_.server(member).nic().cut_off(lost);
  observer_.node_cut_off(member, lost);
  co_return;
}

sim::Task<void> Membership::round(Work work) {
  co_await hold_round(members(), std::move(work));
}

sim::Task<bool> Membership::ask(NodeId member, Work work) {
  std::vector<NodeId> whom{member};
  co_return co_await hold_round(std::move(whom), std::move(work));
}

sim::Task<bool> Membership::hold_round(std::vector<NodeId> whom, Work work) {
  const auto round = std::make_shared<Round>(rack_.calendar());
  round->open = whom;
  std::erase_if(rounds_, [](const auto& old) { return old.expired(); });
  rounds_.push_back(round);
  for (const NodeId member : whom) {
    if (rack_.server(member).is_on()) {
      members_[member]->agent.spawn(at_member(round, member, work));
    } else if (!is_member(member)) {
      leave_round(*round, member, false);  // it has been given up before
    }
  }
  while (!round->open.empty()) co_await round->moved.wait();
  co_return round->all_have_answered;
}

// The manager asks again until it is answered; a member does once what it is asked.
sim::Task<void> Membership::at_member(std::shared_ptr<Round> round, NodeId member, Work work) {
  co_await travel(member);
  co_await work(member);
  co_await travel(member);
  leave_round(*round, member, true);
}

sim::Task<void> Membership::travel(NodeId member) {
  while (!rack_.server(member).has_management_link()) co_await sim::sleep_for(clock_, interval());
  co_await sim::sleep_for(clock_, options_.latency);
}

void Membership::leave_round(Round& round, NodeId member, bool answered) {
  if (std::erase(round.open, member) == 0) return;
  round.all_have_answered = round.all_have_answered && answered;
  round.moved.notify_all();
}

void Membership::give_up_on(NodeId member) {
  for (const auto& round : rounds_) {
    if (const auto open = round.lock()) leave_round(*open, member, false);
  }
}

}  // namespace racksim::models
