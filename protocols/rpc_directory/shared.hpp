// What all nodes of an RPC directory have in common.
#pragma once

#include <vector>

#include "protocols/line_cache/shared.hpp"
#include "protocols/rpc_directory/counters.hpp"
#include "protocols/rpc_directory/messages.hpp"
#include "protocols/rpc_directory/options.hpp"

namespace racksim::rpc_directory {

class Directory;

/// Lines lie as those of SELCC and SEL, so that their memory is laid out alike; the word before each stays 0.
struct Shared : line_cache::Shared<Options, Counters> {
  std::vector<Directory*> directories{};  ///< of the memory servers, in their order

  const models::Roles& roles() const { return memory.shape().roles; }
  /// Where replies to a thread of a compute node are written.
  models::RemoteAddress buffer_of(NodeId node, unsigned thread) const {
    return {thread * (options.line_bytes + Reply::kWireBytes), buffer_keys[node]};
  }
  Directory& directory_of(sim::Key line) const { return *directories[lines.server_of(line)]; }
};

}  // namespace racksim::rpc_directory
