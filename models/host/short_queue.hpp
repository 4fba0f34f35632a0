// A FIFO that begins again at its first place whenever it is empty: a queue that stays short, as those of receive
// rings and ports do, stays in the processor's cache, where a ring or a deque would wander through all of its memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

template <class T>
class ShortQueue {
 public:
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size() - first_; }

  void push(T item) {
    // Moving up half the memory or less for as many pops keeps a long queue cheap too.
    if (items_.size() == items_.capacity() && 2 * first_ >= items_.size() && first_ > 0) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }

  /// Adds an item in front of those at the end that `follows` says come after it.
  template <class Follows>
  void insert(T item, const Follows& follows) {
    push(std::move(item));
    for (std::size_t i = items_.size() - 1; i > first_ && follows(items_[i - 1]); --i) {
      std::swap(items_[i - 1], items_[i]);
    }
  }

  /// The oldest item; there must be one.
  const T& front() const {
    RACKSIM_INVARIANT(!empty(), "who looks at the front of a queue knows that it is not empty");
    return items_[first_];
  }
  /// The item behind so many others.
  T& operator[](std::size_t place) { return items_[first_ + place]; }
  const T& operator[](std::size_t place) const { return items_[first_ + place]; }
  /// The youngest item; there must be one.
  const T& back() const { return items_.back(); }

  /// Takes the oldest item out; there must be one.
  T pop() {
    RACKSIM_INVARIANT(!empty(), "who takes from a queue knows that it is not empty");
    T item = std::move(items_[first_++]);
    if (first_ == items_.size()) clear();
    return item;
  }

  void clear() {
    items_.clear();
    first_ = 0;
  }

  /// From the oldest item to the youngest.
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() { return items_.end(); }

 private:
  std::vector<T> items_;  // those before first_ are gone
  std::size_t first_ = 0;
};

}  // namespace racksim::models
