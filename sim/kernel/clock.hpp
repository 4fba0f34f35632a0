// A node's clock: the calendar seen through a crystal that may be off. Every timer of a node runs on it, so that a
// fault can make one node's timeouts early or late.
#pragma once

#include <stdexcept>
#include <string>

#include "sim/kernel/calendar.hpp"

namespace racksim::sim {

/// Timers of one node. The node's clock ticks `ticks` times while `true_ticks` pass in simulated time.
class Clock {
 public:
  Clock(Calendar& calendar, const std::string& name) : calendar_(calendar), lane_(calendar.add_lane(name + "/timer")) {}
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  Calendar& calendar() const { return calendar_; }

  /// Makes the clock run at ticks/true_ticks of true speed: (11, 10) is 10 % fast. Both must be in [1, 10^6]; throws
  /// std::invalid_argument otherwise. Timers already set keep their instants.
  void set_rate(std::int64_t ticks, std::int64_t true_ticks) {
    if (ticks < 1 || true_ticks < 1 || ticks > 1'000'000 || true_ticks > 1'000'000) {
      throw std::invalid_argument("a clock's rate is a ratio of two numbers from 1 to 1000000");
    }
    ticks_ = ticks;
    true_ticks_ = true_ticks;
  }

  /// How much simulated time passes while this clock counts `d`.
  Duration true_length(Duration d) const {
    __extension__ using Wide = __int128;
    return Duration::from_ps(static_cast<std::int64_t>(static_cast<Wide>(d.ps()) * true_ticks_ / ticks_));
  }

  /// Calls (target.*Handler)(args...) when this clock has counted `d`.
  template <auto Handler, class Target, class... Args>
  EventId after(Duration d, Target& target, Args... args) {
    return calendar_.at<Handler>(calendar_.now() + true_length(d), lane_, target, args...);
  }

 private:
  Calendar& calendar_;
  Lane lane_;
  std::int64_t ticks_ = 1;
  std::int64_t true_ticks_ = 1;
};

}  // namespace racksim::sim
