// Lookup and LRU within hash buckets. See local_cache.hpp.
#include "protocols/flowcc/rules/local_cache.hpp"

#include <algorithm>

namespace racksim::flowcc {

LocalCache::LocalCache(std::uint64_t bytes, std::uint64_t block_bytes)
    : buckets_(std::max<std::uint64_t>(1, bytes / block_bytes / kBucketEntries)), entries_(buckets_ * kBucketEntries) {}

std::size_t LocalCache::bucket_of(Tag tag) const {
  // Multiplicative hashing; the upper bits are the good ones, scaled to the number of buckets.
  __extension__ using Wide = unsigned __int128;
  std::uint64_t h = tag * 0x9e3779b97f4a7c15ull;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ull;
  return static_cast<std::size_t>(static_cast<Wide>(h) * buckets_ >> 64);
}

CacheEntry* LocalCache::find(Tag tag) {
  CacheEntry* bucket = &entries_[bucket_of(tag) * kBucketEntries];
  for (std::size_t i = 0; i < kBucketEntries; ++i) {
    if (bucket[i].tag == tag && bucket[i].state != CacheEntry::State::empty) return &bucket[i];
  }
  return nullptr;
}

CacheEntry* LocalCache::free_entry(Tag tag) {
  CacheEntry* bucket = &entries_[bucket_of(tag) * kBucketEntries];
  for (std::size_t i = 0; i < kBucketEntries; ++i) {
    if (bucket[i].state == CacheEntry::State::empty) return &bucket[i];
  }
  return nullptr;
}

bool LocalCache::any_busy(Tag tag) const {
  const CacheEntry* bucket = &entries_[bucket_of(tag) * kBucketEntries];
  return std::any_of(bucket, bucket + kBucketEntries, [](const CacheEntry& entry) { return entry.busy; });
}

}  // namespace racksim::flowcc
