// What takes so many packets a second, whatever their length, as the packet processing of a switch's port does
// (ccKVS §8.4). The slots are a next-free instant beside that of the port's bits: a packet takes its slot while the bits
// of those before it are sent, and starts when it has both.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/kernel/time.hpp"

namespace racksim::models {

class PacketSlots {
 public:
  /// `per_second` 0: no packet waits.
  explicit PacketSlots(std::uint64_t per_second = 0)
      : gap_(per_second == 0 ? sim::Duration{} : sim::transmission_time(1, static_cast<std::int64_t>(per_second))) {}

  /// The slot of the next packet, which is ready at `ready`: not before those of the packets before it.
  sim::Time take(sim::Time ready) {
    const sim::Time slot = std::max(ready, free_at_);
    free_at_ = slot + gap_;
    return slot;
  }
  /// Of the same rate, free from the beginning.
  PacketSlots anew() const {
    PacketSlots free;
    free.gap_ = gap_;
    return free;
  }
  sim::Duration gap() const { return gap_; }
  /// The instant of the next slot.
  sim::Time free_at() const { return free_at_; }

 private:
  sim::Duration gap_;
  sim::Time free_at_ = sim::Time::beginning();
};

}  // namespace racksim::models
