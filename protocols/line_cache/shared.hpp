// What all nodes of a protocol that caches lines have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/permissions.hpp"
#include "protocols/latched_memory/memory_servers.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::line_cache {

template <class Options, class Counters>
struct Shared {
  models::Rack& rack;
  const Options& options;
  models::MemoryService& memory;
  latched_memory::MemoryServers& lines;
  Counters& counters;
  sim::CoverageProbe coverage{};
  models::Permissions permissions;
  /// Of the buffers in which a compute node's threads are answered, by node.
  std::vector<std::uint32_t> buffer_keys{};
};

}  // namespace racksim::line_cache
