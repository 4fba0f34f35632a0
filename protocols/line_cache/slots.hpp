// Values that wait for their turn on a core, whose work carries no more than a number (models/host/core.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace racksim::line_cache {

template <class T>
class Slots {
 public:
  /// Keeps a value; returns the number by which it is taken.
  std::uint32_t put(T value) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(values_.size()));
      values_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    values_[slot] = std::move(value);
    return slot;
  }
  T take(std::uint32_t slot) {
    free_.push_back(slot);
    return std::move(values_[slot]);
  }
  bool empty() const { return free_.size() == values_.size(); }
  void clear() {
    values_.clear();
    free_.clear();
  }

 private:
  std::vector<T> values_;
  std::vector<std::uint32_t> free_;
};

}  // namespace racksim::line_cache
