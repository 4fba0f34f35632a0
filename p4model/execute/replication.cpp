#include "p4model/execute/replication.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::p4 {

void ReplicationEngine::set_group(std::uint16_t group, const std::vector<MulticastNode>& nodes) {
  if (groups_.size() <= group) groups_.resize(std::size_t{group} + 1);
  remove_group(group);
  for (const auto& node : nodes) {
    const auto first = groups_[group].size();
    for (const auto port : node.ports) {
      auto& copies = groups_[group];
      const bool listed = std::any_of(copies.begin() + static_cast<std::ptrdiff_t>(first), copies.end(),
                                      [&](const Copy& copy) { return copy.port == port; });
      if (!listed && port != Verdict::kNoPort) copies.push_back({port, node.rid});
    }
  }
  loaded_ += !groups_[group].empty();
}

void ReplicationEngine::remove_group(std::uint16_t group) {
  if (group >= groups_.size()) return;
  loaded_ -= !groups_[group].empty();
  groups_[group].clear();
}

void ReplicationEngine::set_exclusion(std::uint16_t id, std::vector<std::uint16_t> ports) {
  if (id > kMaxExclusionId) {
    throw std::runtime_error(fmt::format("L2 exclusion id {} is above {}", id, kMaxExclusionId));
  }
  if (exclusions_.size() <= id) exclusions_.resize(std::size_t{id} + 1);
  exclusions_[id] = std::move(ports);
}

void ReplicationEngine::replicate(const Verdict& verdict, std::vector<Copy>& out) const {
  if (verdict.resubmit) return;
  if (verdict.ucast_port != Verdict::kNone) out.push_back({static_cast<std::uint16_t>(verdict.ucast_port), 0});
  replicate_group(verdict.mcast_a, verdict, out);
  replicate_group(verdict.mcast_b, verdict, out);
}

void ReplicationEngine::replicate_group(std::int32_t group, const Verdict& verdict, std::vector<Copy>& out) const {
  if (group == Verdict::kNone || static_cast<std::size_t>(group) >= groups_.size()) return;
  const std::vector<std::uint16_t>* excluded = nullptr;
  if (verdict.l2_exclusion != Verdict::kNone && static_cast<std::size_t>(verdict.l2_exclusion) < exclusions_.size()) {
    excluded = &exclusions_[static_cast<std::size_t>(verdict.l2_exclusion)];
  }
  for (const auto& copy : groups_[static_cast<std::size_t>(group)]) {
    const bool pruned = excluded && copy.rid == verdict.rid &&
                        std::find(excluded->begin(), excluded->end(), copy.port) != excluded->end();
    if (!pruned) out.push_back(copy);
  }
}

}  // namespace racksim::p4
