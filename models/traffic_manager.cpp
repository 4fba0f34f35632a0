// Occupancy and limits of the switch's buffer. See traffic_manager.hpp.
#include "models/traffic_manager.hpp"

#include <algorithm>
#include <functional>

namespace racksim::models {

TrafficManager::TrafficManager(const SwitchOptions& options, std::size_t ports)
    : cell_bytes_(options.cell_bytes),
      buffer_cells_(options.buffer_cells),
      queue_cells_(options.queue_cells),
      queue_share_(options.queue_share),
      queues_(ports) {}

void TrafficManager::advance(sim::Time now) {
  now_ = now;
  last_departure_ = now;
  while (!stored_.empty() && stored_.front().when <= now) {
    used_ -= stored_.front().cells;
    std::pop_heap(stored_.begin(), stored_.end(), std::greater<>{});
    stored_.pop_back();
  }
}

std::optional<sim::Time> TrafficManager::enqueue(unsigned port, sim::Time ready, std::uint32_t frame_bytes,
                                                 sim::Duration transmission) {
  auto& queue = queues_[port];
  while (!queue.departures.empty() && queue.departures.front().when <= now_) {
    queue.cells -= queue.departures.pop().cells;
  }
  const std::uint64_t cells = cells_of(frame_bytes);
  const std::uint64_t free = buffer_cells_ - used_;
  const auto limit = queue_cells_ + static_cast<std::uint64_t>(queue_share_ * static_cast<double>(free));
  if (cells > free || queue.cells + cells > limit) return std::nullopt;
  const sim::Time start = std::max(ready, queue.free_at);
  queue.free_at = start + transmission;
  queue.cells += cells;
  queue.departures.push({queue.free_at, cells});
  last_departure_ = std::max(last_departure_, queue.free_at);
  return start;
}

void TrafficManager::store(std::uint32_t frame_bytes) {
  if (last_departure_ == now_) return;
  const std::uint64_t cells = cells_of(frame_bytes);
  used_ += cells;
  peak_ = std::max(peak_, used_);
  stored_.push_back({last_departure_, cells});
  std::push_heap(stored_.begin(), stored_.end(), std::greater<>{});
}

}  // namespace racksim::models
