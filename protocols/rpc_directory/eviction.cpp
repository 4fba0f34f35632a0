// Evictions (ScaleStore's page provider, with LRU lists in place of its epochs).
//
// The page is copied as it is posted, so that a frame is free at once; a window of evictions under way limits the
// copies.
#include "models/host/core_wait.hpp"
#include "protocols/rpc_directory/compute_node.hpp"

namespace racksim::rpc_directory {

sim::Task<void> ComputeNode::evict_lines(std::vector<sim::Key> victims) {
  for (const sim::Key line : victims) {
    co_await models::occupy(connections_.evictor_core(), options().eviction);
    while (evictions_under_way_ >= options().eviction_window) {
      ++counters().eviction_waits.value;
      co_await eviction_arrived_.wait();
    }
    Frame* frame = victim(line);
    if (frame == nullptr) continue;
    raise(LineEvent::evict, line, frame);
    tidy(*frame);
  }
}

}  // namespace racksim::rpc_directory
