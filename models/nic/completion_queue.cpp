// Entries on their way to the polling core. See completion_queue.hpp.
#include "models/nic/completion_queue.hpp"

#include <algorithm>
#include <utility>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

// The core takes them in the order in which they are ready, so each event knows its own entry.
void CompletionQueue::push(sim::Time ready, Completion completion, p4::PacketRef&& packet) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  if (packet) ++packets_;
  entries_[slot] = {std::move(completion), std::move(packet), std::max(ready, engine_.now()), true};
  if (wake_up_) {
    engine_.calendar().at<&CompletionQueue::notify>(std::max(ready, engine_.now()), poller_.lane(), *this, slot,
                                                    engine_.generation());
  } else {
    serve_at(ready, cost_of(slot), slot, engine_.generation());
  }
}

void CompletionQueue::serve_at(sim::Time ready, sim::Duration cost, std::uint32_t slot, std::uint64_t generation) {
  if (engine_.costs().poll == sim::Duration{}) {
    poller_.run_at<&CompletionQueue::poll>(ready, cost, *this, slot, generation);
  } else {
    poller_.run_more_at<&CompletionQueue::poll, &CompletionQueue::poll_for>(ready, cost, *this, slot, generation);
  }
}

sim::Duration CompletionQueue::poll_for(std::uint32_t slot, std::uint64_t) const {
  return entries_[slot].ready > last_poll_ ? engine_.costs().poll : sim::Duration{};
}

// The core's wake-up goes before the work that it is for.
void CompletionQueue::notify(std::uint32_t slot, std::uint64_t generation) {
  if (generation != engine_.generation()) return;
  const bool asleep = poller_.backlog() == 0 && poller_.free_at() <= engine_.now();
  serve_at(engine_.now(), asleep ? cost_of(slot) + *wake_up_ : cost_of(slot), slot, generation);
}

void CompletionQueue::push_error(Qpn qpn, std::uint64_t wr_id, Opcode opcode, Status status) {
  push(engine_.dma_write(engine_.now(), kEntryBytes), {.wr_id = wr_id, .status = status, .opcode = opcode, .qpn = qpn});
}

void CompletionQueue::poll(std::uint32_t slot, std::uint64_t generation) {
  if (generation != engine_.generation()) return;
  RACKSIM_INVARIANT(entries_[slot].used, "a completion is polled once");
  const Entry entry = std::exchange(entries_[slot], {});
  if (entry.ready > last_poll_) last_poll_ = poller_.began();
  free_.push_back(slot);
  if (entry.packet) {
    --packets_;
    engine_.delivered(*entry.packet);
  }
  handler_.on_completion(entry.completion);
}

void CompletionQueue::power_off() {
  free_.clear();
  for (std::uint32_t slot = 0; slot < entries_.size(); ++slot) {
    if (entries_[slot].packet) engine_.drop(*entries_[slot].packet, DropReason::nic_off);
    entries_[slot] = {};
    free_.push_back(slot);
  }
  packets_ = 0;
}

}  // namespace racksim::models
