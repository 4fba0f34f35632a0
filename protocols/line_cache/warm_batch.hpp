// Warming up at the speed of memory: what many accesses will touch is asked for before the first is performed.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/service/memory_service.hpp"

namespace racksim::line_cache {

/// Performs accesses by the service's `warm_access`, one after the other. Caches are `cache()` of the session's node.
template <class Service, class Nodes, class Lines>
void warm_batch(Service& service, const Nodes& nodes, const Lines& lines,
                std::span<const models::MemoryService::WarmAccess> accesses) {
  const auto each = [&](auto&& prefetch) {
    for (const auto& access : accesses) {
      prefetch(*nodes[access.session.node], service.block_of(access.address));
    }
  };
  each([](const auto& node, sim::Key line) { node.cache().prefetch_index(line); });
  each([](const auto& node, sim::Key line) { node.cache().prefetch_frame(line); });
  // Who misses takes a victim's frame, and the victim leaves its word.
  std::vector<std::size_t> misses(nodes.size());
  each([&](const auto& node, sim::Key line) {
    if (node.cache().prefetch_neighbours(line)) return;
    lines.prefetch(line);
    __builtin_prefetch(node.cache().victim_ahead(misses[node.id()]++));
  });
  for (const auto& node : nodes) {
    const auto& cache = node->cache();
    for (std::size_t i = 0; cache.free_frames() <= node->options().least_free() && i < misses[node->id()]; ++i) {
      const auto* victim = cache.victim_ahead(i);
      if (victim == nullptr) continue;
      cache.prefetch_index(victim->line);
      lines.prefetch(victim->line);
    }
  }
  for (const auto& access : accesses) service.warm_access(access.session, access.address, access.write);
}

}  // namespace racksim::line_cache
