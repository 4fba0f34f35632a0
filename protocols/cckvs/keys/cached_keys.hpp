// The keys in the cache of one node: their entries, what is under way about them, and the rules that they are kept by.
// The cache (cache.hpp) has it, and the rows of its tables (key_step.hpp) work on it.
//
// Memory: 16 bytes a key, and 32 to 64 for the map that finds it, which caches that were filled alike have together;
// more only for keys that something is under way about.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "protocols/cckvs/keys/entry.hpp"
#include "protocols/cckvs/keys/outbox.hpp"
#include "protocols/cckvs/keys/rules.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

/// Entries by key: where they lie is in a map that caches with the same keys share, until one of them changes it.
class Entries {
 public:
  /// Null if the key is not here. Valid until the next key comes.
  Entry* find(sim::Key key) {
    const std::uint32_t* at = std::as_const(*places_).find(key);
    return at == nullptr ? nullptr : &entries_[*at];
  }
  const Entry* find(sim::Key key) const { return const_cast<Entries*>(this)->find(key); }
  /// Made if there is none.
  Entry& operator[](sim::Key key) {
    if (Entry* entry = find(key)) return *entry;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    own_places()[key] = place;
    return entries_[place] = {};
  }
  void erase(sim::Key key) {
    const std::uint32_t* at = std::as_const(*places_).find(key);
    if (at == nullptr) return;
    free_.push_back(*at);
    own_places().erase(key);
  }
  std::size_t size() const { return places_->size(); }
  /// In the order in which their keys came, if none has been erased.
  std::span<const Entry> all() const { return entries_; }

 private:
  sim::FlatMap<std::uint32_t>& own_places() {
    if (places_.use_count() > 1) places_ = std::make_shared<sim::FlatMap<std::uint32_t>>(*places_);
    return *places_;
  }

  std::shared_ptr<sim::FlatMap<std::uint32_t>> places_ = std::make_shared<sim::FlatMap<std::uint32_t>>();
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

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
  /// Nothing is under way about any key.
  bool empty() const { return indices_.size() == 0; }
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
  Entries entries{};
  WorkByKey work{};
};

}  // namespace racksim::cckvs
