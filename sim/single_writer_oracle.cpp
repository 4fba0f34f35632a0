#include "sim/single_writer_oracle.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

namespace racksim::sim {

void SingleWriterOracle::observe(const Observation& observation) {
  if (observation.what != Observed::permission) return;
  expect_in_order(observation.at);
  const auto change = PermissionView::of(observation);
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
      granted_.erase(grant_id(change.key, change.node));
      if ((holders->readers | holders->writers) == 0) holders_.erase(change.key);
      return;
    }
    case Permission::read:
    case Permission::write: {
      auto& holders = holders_[change.key];
      const bool writes = change.permission == Permission::write;
      holders.readers = writes ? holders.readers & ~bit : holders.readers | bit;
      holders.writers = writes ? holders.writers | bit : holders.writers & ~bit;
      granted_[grant_id(change.key, change.node)] = observation.at;
      const auto others = (writes ? holders.readers | holders.writers : holders.writers) & ~bit;
      if (others != 0) [[unlikely]]
        report(change, holders, others, observation.at);
      return;
    }
  }
  throw std::runtime_error(fmt::format("oracle {}: {} is no permission", name(), observation.detail[2]));
}

void SingleWriterOracle::report(const PermissionView& granted, const Holders& holders, std::uint64_t others, Time at) {
  if (!keeps_more()) return violated(at, {});
  // A second writer is worse news than a forgotten reader.
  const bool other_writes = (others & holders.writers) != 0;
  const auto other = static_cast<std::uint64_t>(std::countr_zero(other_writes ? others & holders.writers : others));
  const auto* since = granted_.find(grant_id(granted.key, other));
  violated(at, fmt::format("block {}: node {} gained {} permission at {} while node {} holds {} permission since {}",
                           granted.key, granted.node, granted.permission == Permission::write ? "write" : "read",
                           printed(at), other, other_writes ? "write" : "read",
                           since != nullptr ? printed(*since) : "an unknown time"));
}

std::uint64_t SingleWriterOracle::grant_id(std::uint64_t key, std::uint64_t node) {
  // Exact for keys below 2^58.
  return key * 64 + node + (key >> 58) * 0x9e3779b97f4a7c15;
}

}  // namespace racksim::sim
