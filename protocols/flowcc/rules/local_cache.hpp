// A memory node's private write-back cache: hash buckets of eight entries, each with dirty bit, tag, timestamp and
// data, evicted by LRU within the bucket (Concordia §6, "Cache").
#pragma once

#include <algorithm>
#include <array>
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

  /// The entries of a cache with room for `bytes / block_bytes` blocks, in whole buckets (at least one).
  static std::uint64_t entries_of(std::uint64_t bytes, std::uint64_t block_bytes) {
    return std::max<std::uint64_t>(1, bytes / block_bytes / kBucketEntries) * kBucketEntries;
  }

  LocalCache(std::uint64_t bytes, std::uint64_t block_bytes)
      : buckets_(entries_of(bytes, block_bytes) / kBucketEntries),
        tags_(buckets_),
        entries_(buckets_ * kBucketEntries) {}

  /// The entry that holds `tag`, or null.
  CacheEntry* find(Tag tag) {
    const std::size_t at = bucket_of(tag);
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      if (tags_[at].of[i] != tag) continue;
      CacheEntry& entry = entries_[at * kBucketEntries + i];
      if (entry.tag == tag && entry.state != CacheEntry::State::empty) return &entry;
    }
    return nullptr;
  }
  const CacheEntry* find(Tag tag) const { return const_cast<LocalCache*>(this)->find(tag); }
  /// From now on an entry, which was empty, is of this block.
  void assign(CacheEntry& entry, Tag tag) {
    const auto place = static_cast<std::size_t>(&entry - entries_.data());
    tags_[place / kBucketEntries].of[place % kBucketEntries] = entry.tag = tag;
  }
  // To have at hand what `find` will read, and then what it finds.
  void prefetch_bucket(Tag tag) const { __builtin_prefetch(&tags_[bucket_of(tag)]); }
  /// False if there is none.
  bool prefetch_entry(Tag tag) const {
    const CacheEntry* entry = find(tag);
    if (entry != nullptr) __builtin_prefetch(entry);
    return entry != nullptr;
  }
  /// Records an access for LRU.
  void touch(CacheEntry& entry) { entry.timestamp = ++accesses_; }

  /// An empty entry of the tag's bucket, or null when there is none.
  CacheEntry* free_entry(Tag tag) {
    CacheEntry* bucket = &entries_[bucket_of(tag) * kBucketEntries];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      if (bucket[i].state == CacheEntry::State::empty) return &bucket[i];
    }
    return nullptr;
  }
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
  bool any_busy(Tag tag) const {
    const CacheEntry* bucket = &entries_[bucket_of(tag) * kBucketEntries];
    return std::any_of(bucket, bucket + kBucketEntries, [](const CacheEntry& entry) { return entry.busy; });
  }
  /// The tag's bucket: two tags compete for entries exactly when they share it.
  std::size_t bucket_of(Tag tag) const {
    // Multiplicative hashing; the upper bits are the good ones, scaled to the number of buckets.
    __extension__ using Wide = unsigned __int128;
    std::uint64_t h = tag * 0x9e3779b97f4a7c15ull;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ull;
    return static_cast<std::size_t>(static_cast<Wide>(h) * buckets_ >> 64);
  }

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
  /// The blocks that a bucket's entries were last assigned to, on one cache line: only one that matches is looked at.
  struct alignas(64) Tags {
    std::array<Tag, kBucketEntries> of{};
  };

  std::size_t buckets_;
  std::vector<Tags> tags_;
  std::vector<CacheEntry> entries_;
  std::uint64_t accesses_ = 0;
};

}  // namespace racksim::flowcc
