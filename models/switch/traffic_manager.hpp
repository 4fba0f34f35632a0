// The traffic manager: a shared buffer in cells, a FIFO queue per port with a dynamic limit, and tail drop.
//
// Nothing here is an event. A queue is its port's next-free instant and the departures that lie ahead; the buffer is
// the sum of the cells that have not departed. Packets are offered in the order in which they reach the traffic
// manager, so that everything that departs before an instant is known when somebody asks for the occupancy at that
// instant. (docs/hardware.md 6.6: 80-byte cells, a minimum per queue, a dynamic share of the free pool, a multicast
// packet stored once and freed after its last copy.)
//
// Cells that have departed are taken off the sums only when it matters. Sums that are too high can only refuse what
// fits, never accept what does not: so what they accept is accepted, and before a refusal they are made exact.
//
// Packets that go through a port again and again can be left out of the queues and only have their cells reserved
// (idle_ring.hpp). The sums hold the reservations, each as long as a packet could at most be stored, which is always:
// they are still too high at most. As long as all reserved cells of a port fit in its queue at once, beside what else
// is there, none of these packets can be refused. When that is no longer sure, or a packet would be refused with them
// in the sums, they are asked to materialize: reservations become the cells that are there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/host/short_queue.hpp"
#include "models/switch/switch_options.hpp"
#include "models/usage/station.hpp"
#include "models/wire/packet_slots.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/kernel/time.hpp"
#include "sim/oracles/conservation_oracle.hpp"

namespace racksim::models {

/// Packets whose cells are reserved.
class UnseenPackets {
 public:
  /// Releases the reservations of all of them.
  virtual void materialize() = 0;

 protected:
  ~UnseenPackets() = default;
};

class TrafficManager {
 public:
  TrafficManager(const SwitchOptions& options, std::size_t ports);

  /// Loses all that is in it. How long packets have waited is remembered.
  void power_off(sim::Time now);

  /// Says what time it is; call before offering what arrives at `now`. Instants must not go back.
  void advance(sim::Time now) {
    RACKSIM_INVARIANT(now >= now_, "packets are offered in the order in which they reach the traffic manager");
    now_ = last_departure_ = now;
    packet_ = ++packets_;
    to_front_ = false;
  }

  /// Offers a copy of a packet of `frame_bytes` for `port`, ready to leave at `ready`, whose bits occupy the port for
  /// `transmission`. Returns the instant when it leaves its queue, or nothing if it is dropped.
  std::optional<sim::Time> enqueue(unsigned port, sim::Time ready, std::uint32_t frame_bytes,
                                   sim::Duration transmission) {
    Queue& queue = queues_[port];
    const std::uint32_t cells = cells_of(frame_bytes);
    const bool fits = used_ + cells <= buffer_cells_ && queue.cells + cells <= queue_cells_;
    if (!fits && !fits_exactly(queue, cells)) [[unlikely]]
      return std::nullopt;
    const sim::Time start = std::max(queue.slots.take(ready), queue.free_at);
    RACKSIM_INVARIANT(queue.departures.empty() || queue.departures.back().when <= start,
                      "a queue is a FIFO: its port sends nothing before what it has taken is gone");
    if (start > ready) queue.waits.add(ready, start);
    queue.free_at = start + transmission;
    queue.cells += cells;
    queue.departures.push({.when = queue.free_at, .cells = cells, .packet = packet_});
    to_front_ |= port < front_ports_;
    last_departure_ = std::max(last_departure_, queue.free_at);
    return start;
  }

  /// Keeps the cells of the packet whose copies were offered since `advance`, if any was taken.
  void store(std::uint32_t frame_bytes) {
    if (last_departure_ == now_) return;
    keep_until(last_departure_, cells_of(frame_bytes), to_front_);
    if (reserved_ != 0) [[unlikely]]
      check_reservations();
  }

  /// Reserves the cells of a packet that goes through `port` again and again. False if there may be no room for it, or
  /// for one of those that have reservations, at every instant until something else is stored.
  bool reserve(unsigned port, std::uint32_t frame_bytes, UnseenPackets& owner);
  /// Ends the reservation of a packet that left, or leaves, its queue at `departure`; `counted` says that it is in the
  /// queue as every packet.
  void release(unsigned port, std::uint32_t frame_bytes, sim::Time departure, bool counted);
  /// Says that a packet with a reservation has reached the traffic manager at `now`, if that is news.
  void reach(sim::Time now) {
    if (now > now_) advance(now);
  }
  /// When a port has sent what it was offered. Who has reservations keeps it up to date.
  sim::Time& free_at(unsigned port) { return queues_[port].free_at; }

  /// How long packets have waited in a port's queue by `now`, together. What has a reservation is not among them.
  sim::Duration waited(unsigned port, sim::Time now) const {
    const Queue& queue = queues_[port];
    sim::Duration ahead;
    std::optional<sim::Time> before;  // departure, when the next one begins
    for (const Departure& departure : queue.departures) {
      if (before) ahead += std::max(*before - now, sim::Duration{});
      before = departure.when;
    }
    return queue.waits.sum() - ahead;
  }
  Waits& waits(unsigned port) { return queues_[port].waits; }
  /// When a port's limit of packets a second lets the next one go.
  sim::Time packets_free_at(unsigned port) const { return queues_[port].slots.free_at(); }
  /// The most of the buffer's cells that were in use at once since the instant of note_most_used_from, as a share.
  /// Those of packets that leave by front ports: what circulates idle is in no queue.
  double most_used() const { return static_cast<double>(most_used_) / static_cast<double>(buffer_cells_); }
  void note_most_used_from(sim::Time now) {
    reach(now);
    forget_departed();
    most_used_ = used_to_front_;
  }

  /// Cells in use and in a port's queue at the instant of the last `advance`, with what was taken since.
  std::uint64_t used_cells() const { return cells_ahead(stored_); }
  std::uint64_t queue_cells(unsigned port) const { return cells_ahead(queues_[port].departures); }

  /// For the conservation of cells, without a change: those of the buffer, and those of all queues, where each copy
  /// counts. In use are those of the running sums by which room is judged, without what has departed by `at`; of
  /// packets, those of the packets that leave some queue later, once for all its copies or copy by copy. Reservations
  /// are in use: their packets are for their owner to count, and to add.
  sim::CellBalance buffer_balance(sim::Time at) const;
  sim::CellBalance queue_balance(sim::Time at) const;

 private:
  struct Departure {
    sim::Time when;
    std::uint32_t cells;
    std::uint32_t packet;  ///< in queues the same for all copies of one, in the buffer whether one goes to a front port
    bool operator>(const Departure& o) const { return when > o.when; }
  };
  struct Queue {
    PacketSlots slots;
    sim::Time free_at = sim::Time::beginning();  // of its port's bits
    std::uint64_t cells = 0;                     // of `departures`, and reserved
    std::uint64_t reserved = 0;                  // of them
    ShortQueue<Departure> departures;
    Waits waits;
  };
  static constexpr std::size_t kMany = 64;

  /// Frames of one size follow each other (the copies of a packet always do): their one division is done once.
  std::uint32_t cells_of(std::uint32_t frame_bytes) {
    if (frame_bytes != divided_bytes_) {
      divided_bytes_ = frame_bytes;
      divided_cells_ = static_cast<std::uint32_t>((frame_bytes + cell_bytes_ - 1) / cell_bytes_);
    }
    return divided_cells_;
  }
  template <class Departures>
  std::uint64_t cells_ahead(const Departures& departures) const {
    std::uint64_t sum = 0;
    for (const Departure& departure : departures) sum += departure.when > now_ ? departure.cells : 0;
    return sum;
  }
  void keep_until(sim::Time departure, std::uint32_t cells, bool to_front) {
    used_ += cells;
    RACKSIM_INVARIANT(used_ <= buffer_cells_, "the cells in use fit in the buffer");
    stored_.push_back({.when = departure, .cells = cells, .packet = to_front});
    if (stored_is_heap_ || stored_.size() >= kMany) [[unlikely]]
      store_among_many();
    if (!to_front) return;
    used_to_front_ += cells;
    if (used_to_front_ <= most_used_) return;
    forget_departed();
    most_used_ = std::max(most_used_, used_to_front_);
  }
  bool has_room(const Queue& queue, std::uint64_t cells) const;
  bool reservations_fit() const;
  void check_reservations();
  void forget_departed(Queue& queue);
  bool fits_exactly(Queue& queue, std::uint64_t cells);
  void store_among_many();
  void forget_departed();
  void forget(const Departure& departure) {
    used_ -= departure.cells;
    if (departure.packet != 0) used_to_front_ -= departure.cells;
  }

  std::size_t front_ports_;
  std::uint64_t cell_bytes_, buffer_cells_, queue_cells_;
  double queue_share_;
  std::vector<Queue> queues_;
  std::vector<Departure> stored_;  // in any order while there are few, later a heap with the earliest departure first
  bool stored_is_heap_ = false;
  std::uint64_t used_ = 0;                           // by `stored_`, and reserved
  std::uint64_t reserved_ = 0;                       // of them
  std::uint64_t used_to_front_ = 0, most_used_ = 0;  // by packets of which a copy leaves by a front port
  std::vector<unsigned> reserving_ports_;
  UnseenPackets* unseen_ = nullptr;
  std::uint32_t divided_bytes_ = 0;
  std::uint32_t divided_cells_ = 0;
  std::uint32_t packet_ = 0,
                packets_ = 0;  // the one that is offered, and how many there were: numbers to tell them apart
  bool to_front_ = false;      // a copy of it
  sim::Time now_ = sim::Time::beginning(), last_departure_ = sim::Time::beginning();
};

}  // namespace racksim::models
