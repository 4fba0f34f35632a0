// Whose state a NIC holds of its queue pairs: so many, the least recently used gives way to one that is fetched from
// host memory (docs/hardware.md 7.7: a ConnectX-3 slows down with the number of queue pairs that are in use).
//
// A list in the order of use, linked by index in a table by queue pair: constant time, and room is made only for queue
// pairs that have never been used before.
#pragma once

#include <cstdint>
#include <vector>

namespace racksim::models {

class QueuePairCache {
 public:
  /// For so many queue pairs; 0: for all.
  explicit QueuePairCache(std::uint64_t capacity) : capacity_(capacity) {}

  /// Whether there is no need to fetch the state of this queue pair, numbered from 0.
  bool holds(std::uint32_t queue_pair) const {
    return capacity_ == 0 || (queue_pair < entries_.size() && entries_[queue_pair].held);
  }
  /// Uses its state. False if it has to be fetched first.
  bool use(std::uint32_t queue_pair) {
    if (capacity_ == 0 || (queue_pair == newest_ && held_ > 0)) return true;
    if (queue_pair >= entries_.size()) entries_.resize(queue_pair + std::size_t{1});
    const bool hit = entries_[queue_pair].held;
    if (hit) {
      unlink(queue_pair);
    } else if (held_ == capacity_) {
      unlink(oldest_);
    }
    link(queue_pair);
    return hit;
  }
  /// Holds nothing any more.
  void clear() {
    entries_.clear();
    held_ = 0;
  }

 private:
  struct Entry {
    std::uint32_t newer = 0, older = 0;  // beyond the newest and the oldest: what nobody reads
    bool held = false;
  };

  void unlink(std::uint32_t queue_pair) {
    Entry& entry = entries_[queue_pair];
    (queue_pair == newest_ ? newest_ : entries_[entry.newer].older) = entry.older;
    (queue_pair == oldest_ ? oldest_ : entries_[entry.older].newer) = entry.newer;
    entry.held = false;
    --held_;
  }
  void link(std::uint32_t queue_pair) {
    if (held_++ == 0) oldest_ = newest_ = queue_pair;
    entries_[queue_pair] = {.newer = queue_pair, .older = newest_, .held = true};
    entries_[newest_].newer = queue_pair;
    newest_ = queue_pair;
  }

  std::uint64_t capacity_, held_ = 0;
  std::uint32_t newest_ = 0, oldest_ = 0;
  std::vector<Entry> entries_;  // by queue pair
};

}  // namespace racksim::models
