// The space-saving sketch (Metwally, Agrawal and El Abbadi, ICDT 2005): which keys are frequent, with few counters.
//
// A key without a counter takes over the smallest one, and with it the doubt how much of that was its own. ccKVS §4 finds
// the hottest keys by it, and a HistoryRecorder those that it keeps first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/record/flat_map.hpp"
#include "sim/record/ids.hpp"

namespace racksim::sim {

class SpaceSaving {
 public:
  /// What is known of a key: it has come at most `count` times, and at least `count - error` times.
  struct Counter {
    Key key;
    std::uint64_t count = 0, error = 0;

    std::uint64_t at_least() const { return count - error; }
  };

  /// With so many counters, at least 1. Each key that came more often than 1 in `counters` has one.
  explicit SpaceSaving(std::size_t counters) : most_(counters) {}

  /// A key has come. Logarithmic in the counters; allocates until all are in use.
  void add(Key key) {
    std::uint32_t place = 0;
    if (const std::uint32_t* found = places_.find(key)) {
      place = *found;
    } else if (heap_.size() < most_) {
      place = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({key, 0, 0});
      places_[key] = place;
      place = raise(place);
    } else {
      Counter& smallest = heap_.front();
      places_.erase(smallest.key);
      smallest = {key, smallest.count, smallest.count};
      places_[key] = 0;
    }
    ++heap_[place].count;
    sink(place);
  }

  /// The counters in use, in no order that means anything.
  const std::vector<Counter>& counters() const { return heap_; }
  /// Of a key; null if it has no counter.
  const Counter* find(Key key) const {
    const std::uint32_t* place = places_.find(key);
    return place == nullptr ? nullptr : &heap_[*place];
  }
  /// Begins anew.
  void clear() {
    heap_.clear();
    places_ = {};
  }

 private:
  void put(std::uint32_t place, Counter counter) {
    places_[counter.key] = place;
    heap_[place] = counter;
  }
  /// A counter of 0 has come in at the end: it belongs at the front. Returns where it is.
  std::uint32_t raise(std::uint32_t place) {
    const Counter counter = heap_[place];
    while (place > 0 && heap_[(place - 1) / 2].count > counter.count) {
      put(place, heap_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, counter);
    return place;
  }
  /// A counter has grown.
  void sink(std::uint32_t place) {
    const Counter counter = heap_[place];
    for (std::uint32_t below = 2 * place + 1; below < heap_.size(); below = 2 * place + 1) {
      if (below + 1 < heap_.size() && heap_[below + 1].count < heap_[below].count) ++below;
      if (heap_[below].count >= counter.count) break;
      put(place, heap_[below]);
      place = below;
    }
    put(place, counter);
  }

  std::size_t most_;
  std::vector<Counter> heap_;  // the smallest in front
  FlatMap<std::uint32_t> places_;
};

}  // namespace racksim::sim
