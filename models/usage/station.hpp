// A station of a queueing network that serves one after the other in the order of the calls, told by the instant from
// which it is free: no event, and exact as long as nobody comes out of order. It knows how long it has worked and how
// long those who came waited, which is what says whether it limits a run (rack_usage.hpp).
#pragma once

#include <algorithm>

#include "sim/kernel/time.hpp"

namespace racksim::models {

/// How long those waited who came: what the sum grows by in a length of time is the mean number that waits (Little's
/// law).
struct Waits {
  sim::Duration sum, longest;

  void add(sim::Duration wait) {
    sum += wait;
    longest = std::max(longest, wait);
  }
};

/// What those still wait, together, of whom the last is done after `backlog`, and each takes `each`: who is told ahead how
/// long he will have waited has not waited for so long yet.
inline sim::Duration still_to_wait(sim::Duration backlog, sim::Duration each) {
  if (backlog <= sim::Duration{} || each <= sim::Duration{}) return {};
  const std::int64_t waiting = backlog / each;
  return (backlog - each * waiting) * waiting + each * (waiting * (waiting - 1) / 2);
}

class Station {
 public:
  /// Serves the next for `length` (0 or more), who is ready at `ready`. Returns when that begins.
  sim::Time serve(sim::Time ready, sim::Duration length) {
    sim::Time start = ready;
    if (free_at_ > ready) {
      waits_.add(free_at_ - ready);
      start = free_at_;
    }
    free_at_ = start + length;
    work_ += length;
    last_ = length;
    return start;
  }

  /// When it has served all who have come so far; long past if nobody has.
  sim::Time free_at() const { return free_at_; }

  /// How long it has worked by `now`. What it has been given ahead of time is taken to follow without a gap: where
  /// there are some, it is too little by no more than they last.
  sim::Duration worked(sim::Time now) const { return work_ - std::clamp(free_at_ - now, sim::Duration{}, work_); }
  /// How long those who have come have waited by `now`, together. Of those who still wait each is taken to need as long
  /// as the last.
  sim::Duration waited(sim::Time now) const { return waits_.sum - still_to_wait(free_at_ - now, last_); }
  Waits& waits() { return waits_; }

  /// Forgets whom it has not served by `now`, as a crash does: it is free.
  void halt(sim::Time now) {
    work_ = worked(now);
    waits_.sum = waited(now);
    free_at_ = sim::Time::beginning();
  }

 private:
  sim::Time free_at_ = sim::Time::beginning();
  sim::Duration work_, last_;
  Waits waits_;
};

}  // namespace racksim::models
