// A memory node's private write-back cache: hash buckets of eight entries, each with dirty bit, tag, timestamp and
// data, evicted by LRU within the bucket (Concordia §6, "Cache").
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "protocols/flowcc/rules/block.hpp"

namespace racksim::flowcc {

/// One cache entry. The data are the block's value (its version).
struct CacheEntry {
  enum class State : std::uint8_t {
    empty,
    filling,  ///< reserved by a thread whose miss is under way
    clean,    ///< readable
    dirty     ///< readable and writable
  };
  Tag tag = 0;
  sim::Value value = 0;
  std::uint64_t timestamp = 0;  ///< the cache's access count at the last access
  std::uint32_t version = 0;    ///< of what it holds (BlockData)
  State state = State::empty;
  bool busy = false;    ///< a thread of this node has a coherence event on it: not to be written, nor chosen as victim
  bool locked = false;  ///< an application has locked the block: not to be chosen as victim

  bool valid() const { return state == State::clean || state == State::dirty; }
};

/// The cache of one node. Knows nothing of messages: requesters and the cache agent change its entries.
class LocalCache {
 public:
  static constexpr std::size_t kBucketEntries = 8;

  /// Room for `bytes / block_bytes` blocks, in whole buckets (at least one).
  LocalCache(std::uint64_t bytes, std::uint64_t block_bytes);

  /// The entry that holds `tag`, or null.
  CacheEntry* find(Tag tag);
  const CacheEntry* find(Tag tag) const { return const_cast<LocalCache*>(this)->find(tag); }
  /// Records an access for LRU.
  void touch(CacheEntry& entry) { entry.timestamp = ++accesses_; }

  /// An empty entry of the tag's bucket, or null when there is none.
  CacheEntry* free_entry(Tag tag);
  /// The least recently used valid entry of the tag's bucket that is not busy and may go, or null.
  template <class MayGo>
  CacheEntry* victim(Tag tag, MayGo&& may_go) {
    CacheEntry* bucket = &entries_[bucket_of(tag) * kBucketEntries];
    CacheEntry* oldest = nullptr;
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      CacheEntry& entry = bucket[i];
      if (!entry.valid() || entry.busy || !may_go(entry)) continue;
      if (oldest == nullptr || entry.timestamp < oldest->timestamp) oldest = &entry;
    }
    return oldest;
  }
  /// Whether a thread has an event on some entry of the tag's bucket.
  bool any_busy(Tag tag) const;
  /// The tag's bucket: two tags compete for entries exactly when they share it.
  std::size_t bucket_of(Tag tag) const;

  static void empty(CacheEntry& entry) { entry = CacheEntry{}; }

  /// Empties all entries, after a call of `visit` for each valid one.
  template <class Visit>
  void clear(Visit&& visit) {
    for (CacheEntry& entry : entries_) {
      if (entry.valid()) visit(std::as_const(entry));
      empty(entry);
    }
  }

  const std::vector<CacheEntry>& entries() const { return entries_; }

 private:
  std::size_t buckets_;
  std::vector<CacheEntry> entries_;
  std::uint64_t accesses_ = 0;
};

}  // namespace racksim::flowcc
