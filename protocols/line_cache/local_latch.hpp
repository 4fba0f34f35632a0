// Waiting for the local latch of a frame, shared or exclusive: in the order of asking, readers together. Whoever may
// not use the line yet gets it exclusively, to acquire the line.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/kernel/waiting.hpp"

namespace racksim::line_cache {

/// A thread that spins on a frame's local latch.
struct LatchWaiter {
  explicit LatchWaiter(sim::Calendar& calendar) : granted(calendar) {}
  sim::Signal granted;
  bool write = false;      ///< what it is about to do
  bool exclusive = false;  ///< how it has been granted the latch
};

/// Grants the latch to the first that wait, as many as may have it now.
template <class Frame>
void grant_latch(Frame& frame, std::deque<LatchWaiter*>& waiters) {
  while (!waiters.empty()) {
    LatchWaiter& next = *waiters.front();
    const bool exclusive = next.write || !readable(frame.state);
    if (frame.latch != 0 && (exclusive || frame.latch == Frame::kExclusive)) return;
    frame.latch = exclusive ? Frame::kExclusive : static_cast<std::int16_t>(frame.latch + 1);
    next.exclusive = exclusive;
    waiters.pop_front();
    next.granted.notify_all();
  }
}

}  // namespace racksim::line_cache
