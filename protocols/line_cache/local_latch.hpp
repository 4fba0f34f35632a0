// Waiting for the local latch of a frame, shared or exclusive: in the order of asking, readers together. Whoever may
// not use the line yet gets it exclusively, to acquire the line.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/kernel/invariant.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::line_cache {

/// A thread that spins on a frame's local latch.
struct LatchWaiter {
  explicit LatchWaiter(sim::Calendar& calendar) : granted(calendar) {}
  sim::Signal granted;
  bool write = false;      ///< what it is about to do
  bool exclusive = false;  ///< how it has been granted the latch
};

/// Whether one more may have the latch.
template <class Frame>
bool latch_is_free(const Frame& frame, bool exclusive) {
  return frame.latch == 0 || (!exclusive && frame.latch != Frame::kExclusive);
}

template <class Frame>
void take_latch(Frame& frame, bool exclusive) {
  RACKSIM_INVARIANT(latch_is_free(frame, exclusive), "a latch is exclusive or shared");
  frame.latch = exclusive ? Frame::kExclusive : static_cast<std::int16_t>(frame.latch + 1);
}

template <class Frame>
void give_latch_back(Frame& frame, bool exclusive) {
  RACKSIM_INVARIANT(exclusive ? frame.latch == Frame::kExclusive : frame.latch > 0,
                    "a latch is given back as it was taken");
  frame.latch = exclusive ? 0 : static_cast<std::int16_t>(frame.latch - 1);
}

/// Grants the latch to the first that wait, as many as may have it now.
template <class Frame>
void grant_latch(Frame& frame, std::deque<LatchWaiter*>& waiters) {
  while (!waiters.empty()) {
    LatchWaiter& next = *waiters.front();
    const bool exclusive = next.write || !readable(frame.state);
    if (!latch_is_free(frame, exclusive)) return;
    take_latch(frame, exclusive);
    next.exclusive = exclusive;
    waiters.pop_front();
    next.granted.notify_all();
  }
}

}  // namespace racksim::line_cache
