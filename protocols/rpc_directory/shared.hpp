// What all nodes of an RPC directory have in common.
#pragma once

#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "protocols/latched_memory/memory_servers.hpp"
#include "protocols/rpc_directory/counters.hpp"
#include "protocols/rpc_directory/messages.hpp"
#include "protocols/rpc_directory/options.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::rpc_directory {

class Directory;

struct Shared {
  models::Rack& rack;
  const Options& options;
  models::MemoryService& memory;
  /// Lines lie as those of SELCC and SEL, so that their memory is laid out alike; the word before each stays 0.
  latched_memory::MemoryServers& lines;
  Counters& counters;
  sim::CoverageProbe coverage{};
  sim::Source source{};                      ///< of permissions
  std::vector<Directory*> directories{};     ///< of the memory servers, in their order
  std::vector<std::uint32_t> buffer_keys{};  ///< of the compute nodes, in their order

  const models::Roles& roles() const { return memory.shape().roles; }
  /// Where replies to a thread of a compute node are written.
  models::RemoteAddress buffer_of(NodeId node, unsigned thread) const {
    return {thread * (options.line_bytes + Reply::kWireBytes), buffer_keys[node]};
  }
  Directory& directory_of(sim::Key line) const { return *directories[lines.server_of(line)]; }
};

}  // namespace racksim::rpc_directory
