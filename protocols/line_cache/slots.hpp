// Values that wait for their turn on a core, whose work carries no more than a number (models/host/core.hpp).
#pragma once

#include <cstddef>
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
  /// One that has not been taken.
  T& operator[](std::uint32_t slot) { return values_[slot]; }
  T take(std::uint32_t slot) {
    free_.push_back(slot);
    return std::move(values_[slot]);
  }
  /// Whether one that has not been taken is like this.
  template <class Like>
  bool any(Like&& like) const {
    std::vector<bool> free(values_.size());
    for (const std::uint32_t slot : free_) free[slot] = true;
    for (std::size_t slot = 0; slot < values_.size(); ++slot) {
      if (!free[slot] && like(values_[slot])) return true;
    }
    return false;
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
