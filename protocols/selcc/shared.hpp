// What all nodes of a SELCC have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "protocols/latched_memory/memory_servers.hpp"
#include "protocols/selcc/counters.hpp"
#include "protocols/selcc/options.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::selcc {

class ComputeNode;
class Recovery;

/// Lines that follow each other.
struct Region {
  sim::Key first;
  std::uint64_t lines = 0;
};

struct Shared {
  models::Rack& rack;
  const Options& options;
  models::MemoryService& memory;
  latched_memory::MemoryServers& lines;
  Counters& counters;
  sim::CoverageProbe coverage{};
  sim::Source source{};                      ///< of permissions
  std::vector<ComputeNode*> nodes{};         ///< the compute nodes, in their order
  std::vector<std::uint32_t> answer_keys{};  ///< of the buffers that their threads are answered in
  Recovery* recovery = nullptr;              ///< null: a crash stops whoever needs what the node held
};

}  // namespace racksim::selcc
