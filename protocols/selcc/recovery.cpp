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
      crashed_(roles.compute_nodes),
      membership_(shared.rack, roles, options, *this) {}

bool Recovery::at_rest() const {
  if (recovering_ > 0) return false;
  for (NodeId node = 0; node < crashed_.size(); ++node) {
    if (crashed_[node] && membership_.is_member(node)) return false;  // nobody has noticed yet
  }
  return true;
}

void Recovery::lose(sim::Key line) {
  unflushed_.lose(line, service_.lose);
}

void Recovery::node_cut_off(NodeId member, NodeId lost) {
  if (member < shared_.nodes.size()) shared_.nodes[member]->cut_off(lost);
}

sim::Task<bool> Recovery::recover(NodeId lost) {
  ++recovering_;
  const models::Membership::Work settle = [this, lost](NodeId member) { return shared_.nodes[member]->settle(lost); };
  co_await membership_.round(settle);
  lose_lines_of(lost);
  for (const auto& latch : shared_.nodes[lost]->latches_left_behind()) service_.unlock(latch.holder, latch.line);
  departed_ |= LatchWord::shared(lost);
  const models::Membership::Work bury = [this, lost](NodeId member) { return shared_.nodes[member]->bury(lost); };
  co_await membership_.round(bury);
  bool swept = false;
  const std::vector<Region> lines = sweeps_ ? service_.allocated() : std::vector<Region>{};
  const models::Membership::Work sweep = [this, lost, &lines](NodeId member) {
    return shared_.nodes[member]->sweep(lost, lines);
  };
  while (sweeps_ && !swept) {
    NodeId sweeper = 0;
    while (sweeper < shared_.nodes.size() && !membership_.is_member(sweeper)) ++sweeper;
    if (sweeper == shared_.nodes.size()) break;
    swept = co_await membership_.ask(sweeper, sweep);
  }
  --recovering_;
  co_return swept;
}

void Recovery::lose_lines_of(NodeId lost) {
  std::vector<sim::Key> lines;
  unflushed_.for_each_line([&](sim::Key line) {
    const LatchWord word = shared_.lines.word_of(line);
    if (word.names_owner() && word.owner() == lost) lines.push_back(line);
  });
  for (const sim::Key line : lines) lose(line);
}

void Recovery::node_admitted(NodeId node) {
  crashed_[node] = false;
  departed_ &= ~LatchWord::shared(node);
  std::uint64_t absent = 0;
  for (NodeId other = 0; other < shared_.nodes.size(); ++other) {
    if (!membership_.is_member(other)) absent |= LatchWord::shared(other);
  }
  shared_.lines.reconnect(node);
  shared_.nodes[node]->come_back(absent, departed_);
  for (NodeId other = 0; other < shared_.nodes.size(); ++other) {
    if (other == node || !membership_.is_member(other)) continue;
    ComputeNode::connect(*shared_.nodes[node], *shared_.nodes[other]);
    shared_.nodes[other]->welcome(node);
  }
}

}  // namespace racksim::selcc
