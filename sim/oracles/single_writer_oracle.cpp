#include "sim/oracles/single_writer_oracle.hpp"

#include <fmt/core.h>

#include <bit>
#include <stdexcept>

namespace racksim::sim {

namespace {
constexpr std::uint64_t kGroup = 64;  // nodes that share a word
}

std::size_t SingleWriterOracle::held_blocks() const {
  std::size_t blocks = 0;
  for (const auto& held : holders_) blocks += held.size();
  return blocks;
}

void SingleWriterOracle::observe(const Observation& observation) {
  if (observation.what != Observed::permission) return;
  expect_in_order(observation.at);
  const auto change = PermissionView::of(observation);
  if (change.permission != Permission::none) count_judged();
  apply(change, observation.at, observation.operation);
}

void SingleWriterOracle::apply(const PermissionView& change, Time at, OperationId operation) {
  if (change.node >= kNodes) {
    throw std::runtime_error(
        fmt::format("oracle {}: node {} is beyond the {} nodes it can watch", name(), change.node, kNodes));
  }
  const std::size_t group = change.node / kGroup;
  if (group >= holders_.size()) holders_.resize(group + 1);
  const auto bit = std::uint64_t{1} << change.node % kGroup;
  switch (change.permission) {
    case Permission::none: {
      auto* holders = holders_[group].find(change.key);
      if (holders == nullptr) return;
      holders->readers &= ~bit;
      holders->writers &= ~bit;
      if ((holders->readers | holders->writers) == 0) holders_[group].erase(change.key);
      return;
    }
    case Permission::read:
    case Permission::write: {
      auto& holders = holders_[group][change.key];
      const bool writes = change.permission == Permission::write;
      holders.readers = writes ? holders.readers & ~bit : holders.readers | bit;
      holders.writers = writes ? holders.writers | bit : holders.writers & ~bit;
      remember_grant(change, at);
      bool forbidden = ((writes ? holders.readers | holders.writers : holders.writers) & ~bit) != 0;
      if (holders_.size() > 1) [[unlikely]]
        visit_others(change, [&](std::uint64_t, std::uint64_t, const Holders&) { forbidden = true; });
      if (forbidden) [[unlikely]]
        report(change, at, operation);
      return;
    }
  }
  throw std::runtime_error(
      fmt::format("oracle {}: {} is no permission", name(), static_cast<unsigned>(change.permission)));
}

template <class Visit>
void SingleWriterOracle::visit_others(const PermissionView& granted, Visit&& visit) const {
  for (std::size_t group = 0; group < holders_.size(); ++group) {
    const Holders* holders = holders_[group].find(granted.key);
    if (holders == nullptr) continue;
    std::uint64_t others = holders->writers;
    if (granted.permission == Permission::write) others |= holders->readers;
    if (group == granted.node / kGroup) others &= ~(std::uint64_t{1} << granted.node % kGroup);
    if (others != 0) visit(group * kGroup, others, *holders);
  }
}

void SingleWriterOracle::report(const PermissionView& granted, Time at, OperationId operation) {
  if (!keeps_more()) return violated(at, {});
  // A second writer is worse news than a forgotten reader.
  std::uint64_t other = kNodes;
  bool other_writes = false;
  visit_others(granted, [&](std::uint64_t first, std::uint64_t others, const Holders& holders) {
    const std::uint64_t writing = others & holders.writers;
    if (other_writes || (other < kNodes && writing == 0)) return;
    other_writes = writing != 0;
    other = first + static_cast<std::uint64_t>(std::countr_zero(other_writes ? writing : others));
  });
  violated(
      at,
      fmt::format("block {}: node {} gained {} permission at {} while node {} holds {} permission {}",
                  printed_key(granted.key), granted.node, granted.permission == Permission::write ? "write" : "read",
                  printed(at), other, other_writes ? "write" : "read", since(granted.key, other)),
      // One that no operation asked for, as those of the warm-up, has the id 0.
      {granted.key, operation == 0 ? std::vector<OperationId>{} : std::vector{operation}});
}

void SingleWriterOracle::remember_grant(const PermissionView& granted, Time at) {
  const Grant grant{granted.key, static_cast<std::uint64_t>(at.ps()) * kNodes + granted.node};
  if (grants_.size() < kGrants) return grants_.push_back(grant);
  grants_[next_grant_] = grant;
  next_grant_ = (next_grant_ + 1) % kGrants;
}

std::string SingleWriterOracle::since(Key key, std::uint64_t node) const {
  const auto time_of = [](const Grant& grant) {
    return Time::from_ps(static_cast<std::int64_t>(grant.time_and_node / kNodes));
  };
  // From the latest to the oldest, which stands at next_grant_.
  for (auto i = grants_.size(); i-- > 0;) {
    const auto& grant = grants_[(next_grant_ + i) % grants_.size()];
    if (grant.key == key && grant.time_and_node % kNodes == node) return "since " + printed(time_of(grant));
  }
  return "since before " + printed(time_of(grants_[next_grant_]));
}

}  // namespace racksim::sim
