// The traffic manager: a shared buffer in cells, a FIFO queue per port with a dynamic limit, and tail drop.
//
// Nothing here is an event. A queue is its port's next-free instant and the departures that lie ahead; the buffer is
// the sum of the cells that have not departed. Packets are offered in the order in which they reach the traffic
// manager, so that everything that departs before an instant is known when somebody asks for the occupancy at that
// instant. (models/hardware.md 6.6: 80-byte cells, a minimum per queue, a dynamic share of the free pool, a multicast
// packet stored once and freed after its last copy.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/short_queue.hpp"
#include "models/switch_options.hpp"
#include "sim/time.hpp"

namespace racksim::models {

class TrafficManager {
 public:
  TrafficManager(const SwitchOptions& options, std::size_t ports);

  /// Frees what has departed by `now`; call before offering what arrives at `now`. Instants must not go back.
  void advance(sim::Time now);

  /// Offers a copy of a packet of `frame_bytes` for `port`, ready to leave at `ready` and occupying the port for
  /// `transmission`. Returns the instant when it leaves its queue, or nothing if it is dropped.
  std::optional<sim::Time> enqueue(unsigned port, sim::Time ready, std::uint32_t frame_bytes,
                                   sim::Duration transmission);

  /// Keeps the cells of the packet whose copies were offered since `advance`, if any was taken.
  void store(std::uint32_t frame_bytes);

  /// Cells in use and in a port's queue at the instant of the last `advance`, with what was taken since.
  std::uint64_t used_cells() const { return used_; }
  std::uint64_t queue_cells(unsigned port) const { return queues_[port].cells; }
  std::uint64_t peak_cells() const { return peak_; }

 private:
  struct Departure {
    sim::Time when;
    std::uint64_t cells;
    bool operator>(const Departure& o) const { return when > o.when; }
  };
  struct Queue {
    sim::Time free_at;
    std::uint64_t cells = 0;
    ShortQueue<Departure> departures;
  };
  /// Frames of one size follow each other (the copies of a packet always do): their one division is done once.
  std::uint64_t cells_of(std::uint32_t frame_bytes) {
    if (frame_bytes != divided_bytes_) {
      divided_bytes_ = frame_bytes;
      divided_cells_ = (frame_bytes + cell_bytes_ - 1) / cell_bytes_;
    }
    return divided_cells_;
  }

  std::uint64_t cell_bytes_, buffer_cells_, queue_cells_;
  double queue_share_;
  std::vector<Queue> queues_;
  std::vector<Departure> stored_;  // heap, earliest departure first
  std::uint64_t used_ = 0, peak_ = 0;
  std::uint32_t divided_bytes_ = 0;
  std::uint64_t divided_cells_ = 0;
  sim::Time now_, last_departure_;
};

}  // namespace racksim::models
