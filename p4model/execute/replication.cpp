#include "p4model/execute/replication.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::p4 {

namespace {

bool chooses(const MulticastNode& node) {
  return !node.lags.empty() || node.exclusion || node.ecmp;
}

bool contains(const std::vector<std::uint16_t>& ports, std::uint16_t port) {
  return std::find(ports.begin(), ports.end(), port) != ports.end();
}

}  // namespace

std::vector<std::uint16_t> ReplicationEngine::each_once(const std::vector<std::uint16_t>& ports) const {
  std::vector<std::uint16_t> once;
  for (const auto port : ports) {
    if (port != no_port_ && !contains(once, port)) once.push_back(port);
  }
  return once;
}

void ReplicationEngine::set_group(std::uint16_t group, const std::vector<MulticastNode>& nodes) {
  std::map<std::uint16_t, std::size_t> sets;
  for (const auto& node : nodes) {
    if (node.ecmp && ++sets[*node.ecmp] > kMostOfEcmp) {
      throw std::runtime_error(
          fmt::format("multicast group {}: more than {} nodes in ECMP set {}", group, kMostOfEcmp, *node.ecmp));
    }
    for (const auto lag : node.lags) {
      if (lag >= kMostLags)
        throw std::runtime_error(fmt::format("multicast group {}: LAG {} is above 255", group, lag));
    }
  }
  if (groups_.size() <= group) groups_.resize(std::size_t{group} + 1);
  remove_group(group);
  if (std::any_of(nodes.begin(), nodes.end(), chooses)) {
    auto& kept = selecting_[group] = nodes;
    for (auto& node : kept) node.ports = each_once(node.ports);
    ++loaded_;
    return;
  }
  for (const auto& node : nodes) {
    for (const auto port : each_once(node.ports)) groups_[group].push_back({port, node.rid});
  }
  loaded_ += !groups_[group].empty();
}

void ReplicationEngine::remove_group(std::uint16_t group) {
  if (group >= groups_.size()) return;
  loaded_ -= selecting_.erase(group);
  loaded_ -= !groups_[group].empty();
  groups_[group].clear();
}

void ReplicationEngine::set_exclusion(std::uint16_t id, std::vector<std::uint16_t> ports) {
  if (id > most_exclusion()) {
    throw std::runtime_error(fmt::format("L2 exclusion id {} is above {}", id, most_exclusion()));
  }
  if (exclusions_.size() <= id) exclusions_.resize(std::size_t{id} + 1);
  exclusions_[id] = std::move(ports);
}

void ReplicationEngine::set_lag(std::uint16_t id, std::vector<std::uint16_t> ports) {
  if (id >= kMostLags) throw std::runtime_error(fmt::format("LAG {} is above {}", id, kMostLags - 1));
  if (lags_.size() <= id) lags_.resize(std::size_t{id} + 1);
  lags_[id] = each_once(ports);
}

void ReplicationEngine::replicate(const Verdict& verdict, std::vector<Copy>& out) const {
  if (verdict.resubmit) return;
  if (verdict.ucast_port != Verdict::kNone) out.push_back({static_cast<std::uint16_t>(verdict.ucast_port), 0});
  replicate_group(verdict.mcast_a, verdict, out);
  replicate_group(verdict.mcast_b, verdict, out);
}

bool ReplicationEngine::is_pruned(const Copy& copy, const Verdict& verdict) const {
  const auto id = static_cast<std::size_t>(verdict.l2_exclusion);
  return verdict.l2_exclusion != Verdict::kNone && id < exclusions_.size() && copy.rid == verdict.rid &&
         contains(exclusions_[id], copy.port);
}

void ReplicationEngine::replicate_group(std::int32_t group, const Verdict& verdict, std::vector<Copy>& out) const {
  if (group == Verdict::kNone || static_cast<std::size_t>(group) >= groups_.size()) return;
  if (!selecting_.empty()) [[unlikely]] {
    const auto found = selecting_.find(static_cast<std::uint16_t>(group));
    if (found != selecting_.end()) return replicate_selecting(found->second, verdict, out);
  }
  for (const auto& copy : groups_[static_cast<std::size_t>(group)]) {
    if (!is_pruned(copy, verdict)) out.push_back(copy);
  }
}

void ReplicationEngine::replicate_selecting(const std::vector<MulticastNode>& nodes, const Verdict& verdict,
                                            std::vector<Copy>& out) const {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& node = nodes[n];
    if (node.ecmp) {
      const auto of_set = [&](const MulticastNode& other) { return other.ecmp == node.ecmp; };
      const auto at = nodes.begin() + static_cast<std::ptrdiff_t>(n);
      const auto members = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), of_set));
      if (verdict.level1_hash % members != static_cast<std::size_t>(std::count_if(nodes.begin(), at, of_set))) continue;
    }
    if (node.exclusion && verdict.l1_exclusion == *node.exclusion) continue;
    auto ports = node.ports;
    for (const auto lag : node.lags) {
      if (lag < lags_.size() && !lags_[lag].empty())
        ports.push_back(lags_[lag][verdict.level2_hash % lags_[lag].size()]);
    }
    for (const auto port : ports) {
      const Copy copy{port, node.rid};
      if (!is_pruned(copy, verdict)) out.push_back(copy);
    }
  }
}

}  // namespace racksim::p4
