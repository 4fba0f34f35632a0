// A counter or level over time: how many of something happened in each interval of a run, or how much there was of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// Counts per fixed interval; interval i covers [i, i + 1) times the interval's length from the start of the run.
class TimeSeries {
 public:
  /// A series of more intervals than this is a std::runtime_error: it would take gigabytes.
  static constexpr std::size_t kMaxIntervals = std::size_t{1} << 24;

  /// The interval must be positive.
  explicit TimeSeries(Duration interval) : interval_(interval) {
    if (interval <= Duration()) throw std::runtime_error("a time series needs an interval above 0");
  }

  /// Counts n more at an instant. Grows by doubling, so that long runs allocate rarely.
  void add(Time at, std::uint64_t n = 1) { reach(at, 0) += n; }

  /// For what has a level instead of being counted: it is `level` from an instant on, until the next call. The value of
  /// an interval is the level at its end; before the first call it is taken to have been the same.
  void set(Time at, std::uint64_t level) { reach(at, values_.empty() ? level : values_.back()) = level; }

  void clear() { values_.clear(); }

  Duration interval() const { return interval_; }
  /// One count or level per interval, up to the last interval in which something happened.
  const std::vector<std::uint64_t>& values() const { return values_; }

 private:
  /// The value of an instant's interval, of one before time zero that of the first; intervals not reached before have
  /// `fill`.
  std::uint64_t& reach(Time at, std::uint64_t fill) {
    const auto index = static_cast<std::size_t>((std::max(at, Time()) - Time()) / interval_);
    if (index >= values_.size()) {
      if (index >= kMaxIntervals) throw std::runtime_error("a time series has too many intervals: choose a longer one");
      values_.resize(index + 1, fill);
    }
    return values_[index];
  }

  Duration interval_;
  std::vector<std::uint64_t> values_;
};

}  // namespace racksim::sim
