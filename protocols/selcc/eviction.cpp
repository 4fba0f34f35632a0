// Eviction in the background (SELCC §5.2): when the free list is short, the evictor takes the least recently used
// frames, groups them by memory server and posts each group with one doorbell.
//
// It waits for no completion: what is dirty is copied into a ring of work requests for each memory server, so that a
// frame is free at once. Only a full ring makes it wait.
#include <algorithm>

#include "models/host/core_wait.hpp"
#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/races.hpp"

namespace racksim::selcc {

bool ComputeNode::may_evict(const Frame& frame) {
  return frame.latch == 0 && !frame.attended &&
         (frame.state == FrameState::shared || frame.state == FrameState::modified);
}

sim::Task<void> ComputeNode::evict() {
  for (;;) {
    if (cache_.free_frames() >= options().least_free()) {
      co_await evictor_wanted_.wait();
      continue;
    }
    std::vector<std::vector<sim::Key>> victims(ring_used_.size());
    bool found = false;
    cache_.offer_victims(options().least_free() - cache_.free_frames(), [&](const Frame& frame) {
      if (!may_evict(frame)) return false;
      victims[shared_.lines.server_of(frame.line)].push_back(frame.line);
      return found = true;
    });
    if (!found) {  // all are in use
      co_await sim::sleep_for(server().clock(), rtt());
      continue;
    }
    for (std::size_t i = 0; i < victims.size(); ++i) {
      if (!victims[i].empty()) co_await evict_batch(i, std::move(victims[i]));
    }
  }
}

sim::Task<void> ComputeNode::evict_batch(std::size_t memory_server, std::vector<sim::Key> victims) {
  models::ReliableConnection& queue_pair = verbs_.of_evictor(victims.front());
  std::uint32_t& used = ring_used_[memory_server];
  std::vector<models::WorkRequest> batch;
  for (const sim::Key line : victims) {
    co_await models::occupy(verbs_.evictor_core(), options().eviction);
    while (used + 2 > options().ring_slots || (!options().batched_eviction && used > 0)) {
      post_batch(queue_pair, batch);
      ++counters().ring_waits.value;
      co_await ring_moved_.wait();
    }
    Frame* frame = cache_.find(line);
    if (frame == nullptr || !may_evict(*frame)) {
      shared_.coverage.race(races.victim_in_use_again);
      continue;
    }
    const std::size_t before = batch.size();
    raise(FrameEvent::evict, line, frame, nullptr, &batch);
    const auto slots = static_cast<std::uint32_t>(batch.size() - before);
    for (std::size_t i = before; i < batch.size(); ++i) {
      if (batch[i].wr_id != 0) verbs_.note_slots(batch[i], slots);
    }
    used += slots;
    tidy(*frame);
    if (!options().batched_eviction) post_batch(queue_pair, batch);
  }
  post_batch(queue_pair, batch);
}

void ComputeNode::post_batch(models::QueuePair& queue_pair, std::vector<models::WorkRequest>& batch) {
  if (!batch.empty()) verbs_.post(queue_pair, batch);
  batch.clear();
}

}  // namespace racksim::selcc
