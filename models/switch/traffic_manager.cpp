// Exact occupancy and limits of the switch's buffer. See traffic_manager.hpp.
#include "models/switch/traffic_manager.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

TrafficManager::TrafficManager(const SwitchOptions& options, std::size_t ports)
    : front_ports_(std::min<std::size_t>(options.ports, ports)),
      cell_bytes_(options.cell_bytes),
      buffer_cells_(options.buffer_cells),
      queue_cells_(options.queue_cells),
      queue_share_(options.queue_share),
      queues_(ports) {
  for (std::size_t front = 0; front < front_ports_; ++front) {
    queues_[front].slots = PacketSlots(options.port_packets_per_second);
  }
}

void TrafficManager::power_off(sim::Time now) {
  for (unsigned port = 0; port < queues_.size(); ++port) {
    Queue& queue = queues_[port];
    Queue empty;
    empty.slots = queue.slots.anew();
    queue.waits.forget_waiting(waited(port, now));
    empty.waits = std::move(queue.waits);
    queue = std::move(empty);
  }
  stored_.clear();
  stored_is_heap_ = false;
  used_ = reserved_ = used_to_front_ = 0;
  reserving_ports_.clear();
  now_ = last_departure_ = sim::Time::beginning();
}

bool TrafficManager::has_room(const Queue& queue, std::uint64_t cells) const {
  if (used_ + cells > buffer_cells_) return false;
  const std::uint64_t free = buffer_cells_ - used_;
  return queue.cells + cells <= queue_cells_ + static_cast<std::uint64_t>(queue_share_ * static_cast<double>(free));
}

bool TrafficManager::fits_exactly(Queue& queue, std::uint64_t cells) {
  forget_departed(queue);
  if (has_room(queue, cells)) return true;  // sums that are too high leave less room, so this is sure
  forget_departed();
  if (has_room(queue, cells)) return true;
  if (reserved_ == 0) return false;
  unseen_->materialize();
  return has_room(queue, cells);
}

bool TrafficManager::reserve(unsigned port, std::uint32_t frame_bytes, UnseenPackets& owner) {
  unseen_ = &owner;
  Queue& queue = queues_[port];
  const std::uint64_t cells = cells_of(frame_bytes);
  const auto add = [&](std::uint64_t more) {
    for (std::uint64_t* sum : {&used_, &reserved_, &queue.cells, &queue.reserved}) *sum += more;
  };
  if (queue.reserved == 0 &&
      std::find(reserving_ports_.begin(), reserving_ports_.end(), port) == reserving_ports_.end()) {
    reserving_ports_.push_back(port);
  }
  add(cells);
  if (reservations_fit()) return true;
  forget_departed();
  forget_departed(queue);
  if (reservations_fit()) return true;
  add(std::uint64_t{} - cells);
  return false;
}

void TrafficManager::release(unsigned port, std::uint32_t frame_bytes, sim::Time departure, bool counted) {
  Queue& queue = queues_[port];
  const std::uint32_t cells = cells_of(frame_bytes);
  for (std::uint64_t* sum : {&used_, &reserved_, &queue.cells, &queue.reserved}) {
    RACKSIM_INVARIANT(*sum >= cells, "what is released was reserved");
    *sum -= cells;
  }
  if (counted || departure <= now_) return;
  queue.cells += cells;
  // Not packet_: this may happen while another packet is being offered.
  queue.departures.insert({.when = departure, .cells = cells, .packet = ++packets_},
                          [&](const Departure& other) { return other.when > departure; });
  keep_until(departure, cells, false);
}

// Each packet is in its queue at most once, and what has no reservation only departs until something is stored: these
// sums are the most that a queue with reservations can meet.
bool TrafficManager::reservations_fit() const {
  if (used_ > buffer_cells_) return false;
  const std::uint64_t free = buffer_cells_ - used_;
  const auto limit = queue_cells_ + static_cast<std::uint64_t>(queue_share_ * static_cast<double>(free));
  return std::all_of(reserving_ports_.begin(), reserving_ports_.end(),
                     [&](unsigned port) { return queues_[port].reserved == 0 || queues_[port].cells <= limit; });
}

void TrafficManager::check_reservations() {
  if (reservations_fit()) return;
  forget_departed();
  for (const unsigned port : reserving_ports_) forget_departed(queues_[port]);
  if (!reservations_fit()) unseen_->materialize();
}

void TrafficManager::forget_departed(Queue& queue) {
  while (!queue.departures.empty() && queue.departures.front().when <= now_) {
    const std::uint32_t cells = queue.departures.pop().cells;
    RACKSIM_INVARIANT(queue.cells >= cells, "a queue's cells are never fewer than those of its packets");
    queue.cells -= cells;
  }
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
      if (departed) forget(departure);
      return departed;
    });
    return;
  }
  while (!stored_.empty() && stored_.front().when <= now_) {
    RACKSIM_INVARIANT(used_ >= stored_.front().cells, "the cells in use are never fewer than those of stored packets");
    forget(stored_.front());
    std::pop_heap(stored_.begin(), stored_.end(), std::greater<>{});
    stored_.pop_back();
  }
  stored_is_heap_ = stored_.size() >= kMany / 4;
}

// What has been computed ahead is there already, and departures until then may be forgotten in one place and not yet in
// another: the count is of the later instant.
sim::CellBalance TrafficManager::buffer_balance(sim::Time at) const {
  const sim::Time when = std::max(at, now_);
  sim::CellBalance balance{used_, 0};
  for (const Departure& departure : stored_) {
    if (departure.when <= when) balance.in_use -= departure.cells;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> packets;  // and their cells
  for (const Queue& queue : queues_) {
    for (const Departure& departure : queue.departures) {
      if (departure.when > when) packets.emplace_back(departure.packet, departure.cells);
    }
  }
  std::sort(packets.begin(), packets.end());
  packets.erase(std::unique(packets.begin(), packets.end()), packets.end());
  for (const auto& [packet, cells] : packets) balance.of_packets += cells;
  return balance;
}

sim::CellBalance TrafficManager::queue_balance(sim::Time at) const {
  const sim::Time when = std::max(at, now_);
  sim::CellBalance balance;
  for (const Queue& queue : queues_) {
    balance.in_use += queue.cells;
    for (const Departure& departure : queue.departures) {
      if (departure.when > when) {
        balance.of_packets += departure.cells;
      } else {
        balance.in_use -= departure.cells;
      }
    }
  }
  return balance;
}

}  // namespace racksim::models
