#include "sim/oracles/single_writer_oracle.hpp"

#include <fmt/core.h>

#include <bit>
#include <stdexcept>

namespace racksim::sim {

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
  const auto bit = std::uint64_t{1} << change.node;
  switch (change.permission) {
    case Permission::none: {
      auto* holders = holders_.find(change.key);
      if (holders == nullptr) return;
      holders->readers &= ~bit;
      holders->writers &= ~bit;
      if ((holders->readers | holders->writers) == 0) holders_.erase(change.key);
      return;
    }
    case Permission::read:
    case Permission::write: {
      auto& holders = holders_[change.key];
      const bool writes = change.permission == Permission::write;
      holders.readers = writes ? holders.readers & ~bit : holders.readers | bit;
      holders.writers = writes ? holders.writers | bit : holders.writers & ~bit;
      remember_grant(change, at);
      const auto others = (writes ? holders.readers | holders.writers : holders.writers) & ~bit;
      if (others != 0) [[unlikely]]
        report(change, holders, others, at, operation);
      return;
    }
  }
  throw std::runtime_error(
      fmt::format("oracle {}: {} is no permission", name(), static_cast<unsigned>(change.permission)));
}

void SingleWriterOracle::report(const PermissionView& granted, const Holders& holders, std::uint64_t others, Time at,
                                OperationId operation) {
  if (!keeps_more()) return violated(at, {});
  // A second writer is worse news than a forgotten reader.
  const bool other_writes = (others & holders.writers) != 0;
  const auto other = static_cast<std::uint64_t>(std::countr_zero(other_writes ? others & holders.writers : others));
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
