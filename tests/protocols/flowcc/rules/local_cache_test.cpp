// The private cache of a node against an obvious reference: lists of blocks by bucket, most recently used last.
#include "protocols/flowcc/rules/local_cache.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "sim/random/random.hpp"

namespace local_cache_test {

using namespace racksim;
using flowcc::CacheEntry;
using flowcc::LocalCache;
using flowcc::Tag;
using State = flowcc::CacheEntry::State;

namespace {

constexpr auto any = [](const CacheEntry&) { return true; };

// A cache of `blocks` blocks of 4 KB.
LocalCache cache_of(std::uint64_t blocks) {
  return LocalCache(blocks * 4096, 4096);
}

CacheEntry& insert(LocalCache& cache, Tag tag, State state = State::clean) {
  CacheEntry* entry = cache.free_entry(tag);
  REQUIRE(entry != nullptr);
  cache.assign(*entry, tag);
  entry->state = state;
  cache.touch(*entry);
  return *entry;
}

}  // namespace

TEST_CASE("a cache has room for its bytes, in whole buckets of eight and at least one") {
  CHECK(cache_of(262'144).entries().size() == 262'144);  // the paper's 1 GB of 4 KB blocks
  CHECK(cache_of(16).entries().size() == 16);
  CHECK(cache_of(23).entries().size() == 16);
  CHECK(cache_of(1).entries().size() == 8);
}

TEST_CASE("blocks spread over all buckets") {
  LocalCache cache = cache_of(64 * 8);
  std::vector<int> blocks(64);
  for (std::uint64_t block = 0; block < 64 * 100; ++block) {
    const Tag tag{block};
    REQUIRE(cache.bucket_of(tag) < 64);
    ++blocks[cache.bucket_of(tag)];
  }
  // 100 a bucket on average; six standard deviations of a uniform spread are 60.
  for (const int n : blocks) CHECK(std::abs(n - 100) < 60);
}

TEST_CASE("the victim is the least recently used block of the bucket") {
  LocalCache cache = cache_of(8 * 4);
  struct Held {
    Tag tag;
    std::uint64_t value;
  };
  std::map<std::size_t, std::vector<Held>> reference;
  sim::RandomStream random(1, "accesses");
  std::uint64_t evictions = 0;
  for (std::uint64_t step = 1; step <= 200'000; ++step) {
    const Tag tag{random.below(60)};
    auto& bucket = reference[cache.bucket_of(tag)];
    const auto held = std::find_if(bucket.begin(), bucket.end(), [&](const Held& h) { return h.tag == tag; });
    CacheEntry* entry = cache.find(tag);
    REQUIRE((entry != nullptr) == (held != bucket.end()));
    if (held != bucket.end()) {
      REQUIRE(entry->value == held->value);
      cache.touch(*entry);
      std::rotate(held, held + 1, bucket.end());
      continue;
    }
    if (bucket.size() == LocalCache::kBucketEntries) {
      REQUIRE(cache.free_entry(tag) == nullptr);
      CacheEntry* victim = cache.victim(tag, any);
      REQUIRE(victim != nullptr);
      REQUIRE(victim->tag == bucket.front().tag);
      LocalCache::empty(*victim);
      bucket.erase(bucket.begin());
      ++evictions;
    }
    insert(cache, tag, random.chance(0.5) ? State::clean : State::dirty).value = sim::Value{step};
    bucket.push_back({tag, step});
  }
  CHECK(evictions > 10'000);
}

TEST_CASE("a victim is never busy, filling or empty") {
  LocalCache cache = cache_of(8);
  std::vector<CacheEntry*> entries;
  CHECK(cache.victim(0, any) == nullptr);
  for (std::uint64_t block = 0; block < 8; ++block) entries.push_back(&insert(cache, Tag{block}));
  for (std::uint64_t tag = 0; tag < 8; ++tag) {
    REQUIRE(cache.victim(0, any) == entries[tag]);
    if (tag % 2 == 0) {
      entries[tag]->busy = true;
    } else {
      entries[tag]->state = State::filling;
    }
  }
  CHECK(cache.victim(0, any) == nullptr);
  CHECK(cache.free_entry(0) == nullptr);
  entries[5]->state = State::dirty;
  CHECK(cache.victim(0, any) == entries[5]);
  CHECK(cache.victim(0, [&](const CacheEntry& entry) { return entry.tag != entries[5]->tag; }) == nullptr);
}

TEST_CASE("an entry that is being filled is found but not valid, an emptied one is not found") {
  LocalCache cache = cache_of(8);
  CacheEntry& entry = insert(cache, 7, State::filling);
  CHECK(cache.find(7) == &entry);
  CHECK_FALSE(entry.valid());
  LocalCache::empty(entry);
  CHECK(cache.find(7) == nullptr);
  CHECK(cache.find(0) == nullptr);  // an empty entry's tag is no block
}

}  // namespace local_cache_test
