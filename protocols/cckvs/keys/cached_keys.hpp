// The keys in the cache of one node: their entries, what is under way about them, and the rules that they are kept by.
// The cache (cache.hpp) has it, and the rows of its tables (key_step.hpp) work on it.
//
// Memory: 16 bytes a key, 43 to 85 with the map that finds it, and more only for keys that something is under way
// about.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "protocols/cckvs/keys/entry.hpp"
#include "protocols/cckvs/keys/outbox.hpp"
#include "protocols/cckvs/keys/rules.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

/// What is under way, of the keys about which something is.
class WorkByKey {
 public:
  /// Null for nothing.
  const Work* find(sim::Key key) const {
    const std::uint32_t* index = indices_.find(key);
    return index == nullptr ? nullptr : &works_[*index];
  }
  Work* find(sim::Key key) {
    const std::uint32_t* index = indices_.find(key);
    return index == nullptr ? nullptr : &works_[*index];
  }
  /// Made if there is none.
  Work& of(sim::Key key) {
    if (Work* work = find(key)) return *work;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(works_.size()));
      works_.emplace_back();
    }
    indices_[key] = free_.back();
    free_.pop_back();
    return works_[indices_[key]];
  }
  void free_if_empty(sim::Key key) {
    const std::uint32_t* index = indices_.find(key);
    if (index == nullptr || !works_[*index].empty()) return;
    free_.push_back(*index);
    indices_.erase(key);
  }

 private:
  sim::FlatMap<std::uint32_t> indices_;
  std::deque<Work> works_;
  std::vector<std::uint32_t> free_;
};

struct CachedKeys {
  NodeId self;
  std::uint32_t nodes;
  Rules rules;  ///< in effect
  TimestampOrder order;
  std::uint64_t most_puts;  ///< of a key that this node has under way at once
  Outbox& outbox;
  sim::FlatMap<Entry> entries{};
  WorkByKey work{};
};

}  // namespace racksim::cckvs
