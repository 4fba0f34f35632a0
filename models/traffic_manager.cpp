// Exact occupancy and limits of the switch's buffer. See traffic_manager.hpp.
#include "models/traffic_manager.hpp"

#include <functional>

namespace racksim::models {

TrafficManager::TrafficManager(const SwitchOptions& options, std::size_t ports)
    : cell_bytes_(options.cell_bytes),
      buffer_cells_(options.buffer_cells),
      queue_cells_(options.queue_cells),
      queue_share_(options.queue_share),
      queues_(ports) {}

bool TrafficManager::fits_exactly(Queue& queue, std::uint64_t cells) {
  forget_departed();
  while (!queue.departures.empty() && queue.departures.front().when <= now_) {
    queue.cells -= queue.departures.pop().cells;
  }
  const std::uint64_t free = buffer_cells_ - used_;
  const auto limit = queue_cells_ + static_cast<std::uint64_t>(queue_share_ * static_cast<double>(free));
  return cells <= free && queue.cells + cells <= limit;
}

void TrafficManager::store_among_many() {
  if (stored_is_heap_) std::push_heap(stored_.begin(), stored_.end(), std::greater<>{});
  forget_departed();
  if (stored_is_heap_ || stored_.size() < kMany / 2) return;
  std::make_heap(stored_.begin(), stored_.end(), std::greater<>{});
  stored_is_heap_ = true;
}

void TrafficManager::forget_departed() {
  if (!stored_is_heap_) {
    std::erase_if(stored_, [&](const Departure& departure) {
      const bool departed = departure.when <= now_;
      if (departed) used_ -= departure.cells;
      return departed;
    });
    return;
  }
  while (!stored_.empty() && stored_.front().when <= now_) {
    used_ -= stored_.front().cells;
    std::pop_heap(stored_.begin(), stored_.end(), std::greater<>{});
    stored_.pop_back();
  }
  stored_is_heap_ = stored_.size() >= kMany / 4;
}

}  // namespace racksim::models
