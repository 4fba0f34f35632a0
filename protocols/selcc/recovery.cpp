// The order of a recovery. See recovery.hpp.
#include "protocols/selcc/recovery.hpp"

#include <algorithm>
#include <utility>

namespace racksim::selcc {

Recovery::Recovery(Shared& shared, const models::Roles& roles, const models::MembershipOptions& options, bool sweeps,
                   Service service)
    : shared_(shared),
      sweeps_(sweeps),
      service_(std::move(service)),
      connected_(roles.compute_nodes, true),
      membership_(shared.rack, roles, options, *this) {}

void Recovery::lose(sim::Key line) {
  unflushed_.lose(line, service_.lose);
}

void Recovery::node_cut_off(NodeId member, NodeId lost) {
  if (member < shared_.nodes.size()) shared_.nodes[member]->cut_off(lost);
}

sim::Task<bool> Recovery::recover(NodeId lost) {
  connected_[lost] = false;
  if (!holds_lease(lost)) shared_.nodes[lost]->record_no_permission();
  const models::Membership::Work settle = [this, lost](NodeId member) { return shared_.nodes[member]->settle(lost); };
  co_await membership_.round(settle);
  lose_lines_of(lost);
  for (const auto& latch : shared_.nodes[lost]->latches_left_behind()) service_.unlock(latch.holder, latch.line);
  departed_ |= LatchWord::shared(lost);
  const models::Membership::Work bury = [this, lost](NodeId member) { return shared_.nodes[member]->bury(lost); };
  co_await membership_.round(bury);
  if (sweeps_) {
    co_await have_swept(lost);
    departed_ &= ~LatchWord::shared(lost);
    const models::Membership::Work leave = [this, lost](NodeId member) {
      return shared_.nodes[member]->leave_alone(lost);
    };
    co_await membership_.round(leave);
  }
  co_return sweeps_;
}

// By whoever is there; if nobody is, by who comes back first.
sim::Task<void> Recovery::have_swept(NodeId lost) {
  const models::Membership::Work sweep = [this, lost](NodeId member) {
    return shared_.nodes[member]->sweep(LatchWord::shared(lost), service_.allocated());
  };
  for (;;) {
    NodeId sweeper = 0;
    while (sweeper < shared_.nodes.size() && !membership_.is_member(sweeper)) ++sweeper;
    if (sweeper == shared_.nodes.size()) {
      unswept_ |= LatchWord::shared(lost);
      co_return;
    }
    if (co_await membership_.ask(sweeper, sweep)) co_return;
  }
}

void Recovery::lose_lines_of(NodeId lost) {
  std::vector<sim::Key> lines;
  unflushed_.for_each_line([&](sim::Key line) {
    const LatchWord word = shared_.lines.word_of(line);
    if (word.names_owner() && word.owner() == lost) lines.push_back(line);
  });
  for (const sim::Key line : lines) lose(line);
}

sim::Task<void> Recovery::admit(NodeId node) {
  shared_.lines.reconnect(node);
  co_await sweep_first(node);
  // Not with who is taken for dead: it has been cut off by those who were there.
  std::uint64_t absent = 0;
  std::vector<NodeId> present;
  for (NodeId other = 0; other < shared_.nodes.size(); ++other) {
    if (other == node) continue;
    if (connected_[other] && membership_.belongs(other)) {
      present.push_back(other);
    } else {
      absent |= LatchWord::shared(other);
    }
  }
  shared_.nodes[node]->come_back(absent, departed_);
  for (const NodeId other : present) shared_.nodes[other]->welcome(*shared_.nodes[node]);
  connected_[node] = true;
}

// Before any of those ids is used again.
sim::Task<void> Recovery::sweep_first(NodeId node) {
  while (unswept_ != 0) {
    if (sweeper_) {
      co_await sim::sleep_for(shared_.rack.server(node).clock(), shared_.rack.options().rtt);
      continue;
    }
    sweeper_ = node;
    const std::uint64_t swept = unswept_;  // there may be more of them meanwhile
    co_await shared_.nodes[node]->sweep(swept, service_.allocated());
    unswept_ &= ~swept;
    sweeper_.reset();
  }
}

void Recovery::node_crashed(NodeId node) {
  connected_[node] = false;
  if (sweeper_ == node) sweeper_.reset();
}

}  // namespace racksim::selcc
