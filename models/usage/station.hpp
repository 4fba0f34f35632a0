// A station of a queueing network that serves one after the other in the order of the calls, told by the instant from
// which it is free: no event, and exact as long as nobody comes out of order. It knows how long it has worked and how
// long those who came waited, which is what says whether it limits a run (rack_usage.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::models {

/// How long those waited who came, and how many at once. They begin in the order in which they come.
class Waits {
 public:
  /// One who is ready at `ready` begins later, at `start`. Whether that is told ahead or at the start makes no difference.
  void add(sim::Time ready, sim::Time start) {
    const sim::Duration wait = start - ready;
    sum_ += wait;
    longest_ = std::max(longest_, wait);
    starts_[added_ & last_place_] = start;
    // More than `most_` wait now if the one who came so many before has not begun.
    while (starts_[(added_ - most_) & last_place_] > ready) {
      if (++most_ == last_place_) keep_more();
    }
    ++added_;
  }

  /// Together: what this grows by in a length of time is the mean number that waits (Little's law).
  sim::Duration sum() const { return sum_; }
  /// Of those added since the window began.
  sim::Duration longest() const { return longest_; }
  std::size_t most_at_once() const { return most_; }

  void begin_window() {
    longest_ = {};
    most_ = 0;
  }
  /// Those who still wait never begin, as after a crash: all together have waited for `sum`.
  void forget_waiting(sim::Duration sum) {
    sum_ = sum;
    std::fill(starts_.begin(), starts_.end(), sim::Time::beginning());
  }

 private:
  void keep_more() {
    std::vector<sim::Time> more(2 * starts_.size(), sim::Time::beginning());
    for (std::size_t before = 0; before < starts_.size(); ++before) {
      const std::size_t one = added_ - before;
      more[one & (more.size() - 1)] = starts_[one & last_place_];
    }
    starts_ = std::move(more);
    last_place_ = starts_.size() - 1;
  }

  sim::Duration sum_, longest_;
  std::size_t most_ = 0, added_ = 0;
  // A ring of the last who came, a power of two of them: there is room for one more than ever waited at once.
  std::vector<sim::Time> starts_ = std::vector<sim::Time>(4, sim::Time::beginning());
  std::size_t last_place_ = 3;
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
      waits_.add(ready, free_at_);
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
  sim::Duration waited(sim::Time now) const { return waits_.sum() - still_to_wait(free_at_ - now, last_); }
  Waits& waits() { return waits_; }

  /// Forgets whom it has not served by `now`, as a crash does: it is free.
  void halt(sim::Time now) {
    work_ = worked(now);
    waits_.forget_waiting(waited(now));
    free_at_ = sim::Time::beginning();
  }

 private:
  sim::Time free_at_ = sim::Time::beginning();
  sim::Duration work_, last_;
  Waits waits_;
};

}  // namespace racksim::models
