// Eviction in the background (SELCC §5.2): the evictor groups its victims by memory server and posts each group with one
// doorbell.
//
// It waits for no completion: what is dirty is copied into a ring of work requests for each memory server, so that a
// frame is free at once. Only a full ring makes it wait.
#include <algorithm>

#include "models/host/core_wait.hpp"
#include "protocols/selcc/compute_node.hpp"

namespace racksim::selcc {

sim::Task<void> ComputeNode::evict_lines(std::vector<sim::Key> victims) {
  std::vector<std::vector<sim::Key>> by_server(ring_used_.size());
  for (const sim::Key line : victims) by_server[shared_.lines.server_of(line)].push_back(line);
  for (std::size_t i = 0; i < by_server.size(); ++i) {
    if (!by_server[i].empty()) co_await evict_batch(i, std::move(by_server[i]));
  }
}

sim::Task<void> ComputeNode::evict_batch(std::size_t memory_server, std::vector<sim::Key> victims) {
  models::ReliableConnection& queue_pair = connections_.of_evictor(victims.front());
  std::uint32_t& used = ring_used_[memory_server];
  std::vector<models::WorkRequest> batch;
  for (const sim::Key line : victims) {
    co_await models::occupy(connections_.evictor_core(), options().eviction);
    while (used + 2 > options().ring_slots || (!options().batched_eviction && used > 0)) {
      post_batch(queue_pair, batch);
      ++counters().ring_waits.value;
      co_await ring_moved_.wait();
    }
    Frame* frame = victim(line);
    if (frame == nullptr) continue;
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
