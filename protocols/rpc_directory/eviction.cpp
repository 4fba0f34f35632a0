// Eviction in the background: when the free list is short, the evictor takes the least recently used frames
// (ScaleStore's page provider, with LRU lists in place of its epochs).
//
// The page is copied as it is posted, so that a frame is free at once; a window of evictions under way limits the
// copies.
#include "models/host/core_wait.hpp"
#include "protocols/rpc_directory/compute_node.hpp"
#include "protocols/rpc_directory/races.hpp"

namespace racksim::rpc_directory {

bool ComputeNode::may_evict(const Frame& frame) {
  return frame.latch == 0 && !frame.attended && readable(frame.state);
}

sim::Task<void> ComputeNode::evict() {
  std::vector<sim::Key> victims;
  for (;;) {
    if (cache_.free_frames() >= options().least_free()) {
      co_await evictor_wanted_.wait();
      continue;
    }
    victims.clear();
    cache_.offer_victims(options().least_free() - cache_.free_frames(), [&](const Frame& frame) {
      if (!may_evict(frame)) return false;
      victims.push_back(frame.line);
      return true;
    });
    if (victims.empty()) {  // all are in use
      co_await sim::sleep_for(server().clock(), shared_.rack.options().rtt);
      continue;
    }
    for (const sim::Key line : victims) {
      co_await models::occupy(*evictor_core_, options().eviction);
      while (evictions_under_way_ >= options().eviction_window) {
        ++counters().eviction_waits.value;
        co_await eviction_arrived_.wait();
      }
      Frame* frame = cache_.find(line);
      if (frame == nullptr || !may_evict(*frame)) {
        shared_.coverage.race(races.victim_in_use_again);
        continue;
      }
      raise(LineEvent::evict, line, frame);
      tidy(*frame);
    }
  }
}

}  // namespace racksim::rpc_directory
